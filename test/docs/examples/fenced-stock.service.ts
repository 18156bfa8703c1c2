import { Injectable } from '@nestjs/common';
import { Locked, currentLock } from 'nestjs-zk-lock';

/** As much of a PostgreSQL driver as is needed here: `pg` and others have it. */
export abstract class Database {
  abstract query(sql: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A later holder has already written. */
export class StaleWriteError extends Error {}

@Injectable()
export class StockService {
  constructor(private readonly database: Database) {}

  @Locked('stock:{0}')
  async count(article: string, counting: () => Promise<number>): Promise<void> {
    const { fencingToken, signal } = currentLock();
    const count = await counting();
    signal.throwIfAborted(); // skips a write that is known to be late
    const { rows } = await this.database.query(
      `UPDATE stock SET count = $1, fence = $2
       WHERE article = $3 AND fence <= $2 RETURNING article`,
      [count, String(fencingToken), article],
    );
    if (rows.length === 0) throw new StaleWriteError(article); // or the article does not exist
  }
}

import { ConflictException, Injectable } from '@nestjs/common';
import { Transactional, TransactionHost } from '@nestjs-cls/transactional';
import { Locked, currentLock } from 'nestjs-zk-lock';
import { Forklift } from '../forklift.js';
import { SqliteAdapter } from './sqlite.adapter.js';

@Injectable()
export class ShelfService {
  constructor(
    private readonly database: TransactionHost<SqliteAdapter>,
    protected readonly forklift: Forklift,
  ) {}

  /** The next caller gets the lock after the commit, so it reads what this one has written. */
  @Locked('shelf:{0}')
  @Transactional()
  async take(article: string): Promise<number> {
    const left = this.count(article) - 1;
    if (left < 0) throw new ConflictException(`No ${article} left`);
    await this.forklift.fetch(article, currentLock().signal);
    this.write(article, left);
    return left;
  }

  count(article: string): number {
    const query = this.database.tx.prepare('SELECT count FROM shelf WHERE article = ?');
    return (query.get(article) as { count: number } | undefined)?.count ?? 0;
  }

  write(article: string, count: number): void {
    this.database.tx.prepare('REPLACE INTO shelf VALUES (?, ?)').run(article, count);
  }
}

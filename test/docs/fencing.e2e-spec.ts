import 'reflect-metadata';
import { PGlite } from '@electric-sql/pglite';
import { readFileSync } from 'node:fs';
import { LockLostError } from 'nestjs-zk-lock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { Database, StaleWriteError, StockService } from './examples/fenced-stock.service.js';

const schema = readFileSync(new URL('examples/stock.sql', import.meta.url), 'utf8');

/**
 * PostgreSQL inside this process. Its start blocks the process for longer than a session may be
 * silent, so it precedes all connections.
 */
let postgres: PGlite;

beforeAll(async () => {
  postgres = await PGlite.create();
  await postgres.exec(schema);
}, 60_000);
afterAll(() => postgres.close());

beforeEach(async () => {
  await postgres.exec(`DELETE FROM stock; INSERT INTO stock (article, count) VALUES ('tea', 0)`);
});

/** A connection that delays each write until the test lets it through. */
class StalledConnection extends Database {
  letThrough: (() => void) | undefined;

  constructor(private readonly change: (sql: string) => string) {
    super();
  }

  override async query(sql: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    await new Promise<void>((resolve) => (this.letThrough = resolve));
    return postgres.query(this.change(sql), values);
  }
}

describe('the table of docs/keys.md', () => {
  const apps = useTestApps();

  async function openStock(database: Database): Promise<StockService> {
    const providers = [StockService, { provide: Database, useValue: database }];
    return (await apps.start({ imports: [apps.zkLock()], providers })).get(StockService);
  }

  /** The first holder's write arrives after the second holder has had its turn. */
  async function writeLate(change: (sql: string) => string = (sql) => sql) {
    const stalled = new StalledConnection(change);
    const first = await openStock(stalled);
    const second = await openStock({ query: (sql, values) => postgres.query(sql, values) });

    const late = first
      .count('tea', async () => Promise.resolve(7))
      .catch((error: unknown) => error);
    await waitFor(() => stalled.letThrough, { what: 'the write to be on its way' });
    await apps.deleteLockNodes('stock:tea');
    await second.count('tea', async () => Promise.resolve(5));
    stalled.letThrough!();
    const outcome = await late;
    const { rows } = await postgres.query('SELECT count, fence::text FROM stock');
    return { outcome, row: rows[0] as { count: number; fence: string } };
  }

  it('refuses the late write of a holder', async () => {
    const { outcome, row } = await writeLate();
    expect(outcome).toBeInstanceOf(StaleWriteError);
    expect(row.count).toBe(5);
    expect(BigInt(row.fence)).toBeGreaterThan(0n);
  });

  it('accepts the older count without the condition', async () => {
    const { outcome, row } = await writeLate((sql) => sql.replace(' AND fence <= $2', ''));
    expect(outcome).toBeInstanceOf(LockLostError);
    expect(row.count).toBe(7);
  });

  it('stores the greatest possible token', async () => {
    const greatest = 2n ** 63n - 1n;
    await postgres.query('UPDATE stock SET fence = $1', [String(greatest)]);
    const refused = await postgres.query('UPDATE stock SET count = 9 WHERE fence <= $1', [
      String(greatest - 1n),
    ]);
    expect(refused.affectedRows).toBe(0);
  });
});

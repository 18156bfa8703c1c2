import 'reflect-metadata';
import { Transactional } from '@nestjs-cls/transactional';
import { Injectable } from '@nestjs/common';
import { ClsModule } from 'nestjs-cls';
import { Locked } from 'nestjs-zk-lock';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Forklift } from '../../apps/warehouse/src/forklift.js';
import { type Connection, ShelfDatabase } from '../../apps/warehouse/src/shelf/shelf.database.js';
import { ShelfModule } from '../../apps/warehouse/src/shelf/shelf.module.js';
import { ShelfService } from '../../apps/warehouse/src/shelf/shelf.service.js';
import { Gate } from '../nest/support/gate.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const apps = useTestApps();

/** The order of decorators that the documentation warns against. */
@Injectable()
class LockInside extends ShelfService {
  @Transactional()
  @Locked('shelf:{0}')
  override async take(article: string): Promise<number> {
    const left = this.count(article) - 1;
    await this.forklift.fetch(article, new AbortController().signal);
    this.write(article, left);
    return left;
  }
}

/** A database whose commits wait until the gate opens. */
class SlowDatabase extends ShelfDatabase {
  constructor(
    file: string,
    private readonly gate: Gate,
  ) {
    super(file);
  }

  override async commit(connection: Connection): Promise<void> {
    await this.gate.pass();
    await super.commit(connection);
  }
}

/**
 * Two replicas of the warehouse on one database. `@Transactional()` supports one database per
 * process, so they share the gate. Each transaction still has its own connection.
 */
async function openReplicas(bolts: number) {
  const folder = makeTempDir('shelf');
  onTestFinished(() => removeTempDir(folder));
  const gate = new Gate();
  onTestFinished(() => gate.open());
  const trips: string[] = [];
  const open = async (name: string) => {
    const app = await apps.start({
      imports: [
        apps.zkLock(),
        ClsModule.forRoot({ global: true }),
        ShelfModule.forRoot(() => new SlowDatabase(join(folder, 'shelf.db'), gate)),
      ],
      providers: [LockInside],
    });
    vi.spyOn(app.get(Forklift), 'fetch').mockImplementation(() => {
      trips.push(name);
      return Promise.resolve();
    });
    const [lockInside, lockOutside] = [app.get(LockInside), app.get(ShelfService)];
    return { lockInside, lockOutside };
  };
  const [a, b] = [await open('a'), await open('b')];
  a.lockOutside.write('bolts', bolts);
  return { a, b, gate, trips, count: () => b.lockOutside.count('bolts') };
}

it('lets the next caller read after the commit if the lock is around the transaction', async () => {
  const { a, b, gate, trips, count } = await openReplicas(1);
  const first = a.lockOutside.take('bolts');
  await waitFor(() => gate.arrivals === 1, { what: 'the first to commit' });
  const second = b.lockOutside.take('bolts');
  await apps.untilQueued(2);
  gate.open();
  // The second call may fail before the first one returns.
  await Promise.all([
    expect(first).resolves.toBe(0),
    expect(second).rejects.toThrow('No bolts left'),
  ]);
  expect(trips).toEqual(['a']);
  expect(count()).toBe(0);
});

it('lets the next caller read the state before the commit if the lock is inside', async () => {
  const { a, b, gate, trips, count } = await openReplicas(1);
  const first = a.lockInside.take('bolts');
  await waitFor(() => gate.arrivals === 1, { what: 'the first to commit' });
  // It gets the lock, reads that one article is left, and fetches the article that the first caller
  // has already fetched.
  await expect(b.lockInside.take('bolts')).rejects.toThrow('database is locked');
  expect(trips).toEqual(['a', 'b']);
  gate.open();
  expect(await first).toBe(0);
  expect(count()).toBe(0);
});

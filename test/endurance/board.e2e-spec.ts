import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Lock, LockService, ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import { expect, it } from 'vitest';
import type {
  BoardKey,
  BoardKeys,
  BoardOverview,
} from '../../libs/nestjs-zk-lock/src/board/board-api.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const KEYS = 10_000;
const WAITERS = 1_000;
const AT_ONCE = 500;

async function startApp(servers: string): Promise<INestApplication> {
  const imports = [
    ZkLockModule.forRoot({
      ...{ servers, sessionTimeoutMs: 40_000, acquireTimeoutMs: Infinity },
      maxWaiting: { perKey: WAITERS },
    }),
    ZkLockBoardModule.forRoot({ guards: 'none' }),
  ];
  const module = await Test.createTestingModule({ imports }).compile();
  const app = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

it('shows 10,000 keys that are held, and 1,000 calls that wait for one of them', async () => {
  await using server = await ZooKeeperServer.start({ javaOptions: ['-Xmx512m'] });
  const app = await startApp(server.connectString);
  const locks = app.get(LockService);
  const url = `${await app.getUrl()}/locks`;
  const ask = async <T>(path: string): Promise<T> => (await fetch(url + path)).json() as Promise<T>;
  const names = Array.from({ length: KEYS }, (_, index) => `key-${index}`);
  const held: Lock[] = [];
  // The proofs that keep the session have their turn in between.
  for (let from = 0; from < KEYS; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE);
    held.push(
      ...(await Promise.all(some.map((name) => locks.acquire(name, { label: `of ${name}` })))),
    );
  }
  const waiting = Array.from({ length: WAITERS }, () => locks.acquire('key-0'));
  await waitFor(() => locks.counts.waiting === WAITERS, { what: 'all to wait' });
  await waitFor(async () => (await locks.inspect('key-0', { limit: 1 })).total === WAITERS + 1, {
    what: 'all nodes',
  });

  const isComplete = async (): Promise<boolean> => {
    const { totals } = await ask<BoardOverview>('/overview');
    return totals.held === KEYS && totals.waiting === WAITERS;
  };
  await waitFor(isComplete, { what: 'the board to show all', timeoutMs: 30_000 });
  const found = await ask<BoardKeys>('/keys?sort=waiting&order=desc');
  expect(found).toMatchObject({ total: KEYS, rows: { length: 200 } });
  expect(found.rows[0]).toMatchObject({ key: 'key-0', waiting: WAITERS });
  const one = await ask<BoardKeys>('/keys?filter=of%20key-9999');
  expect(one.rows).toMatchObject([{ key: 'key-9999', holder: { label: 'of key-9999' } }]);
  const last = await ask<BoardKey>('/key?key=key-0&offset=900');
  expect(last.waiters).toHaveLength(100);
  expect(last.totalWaiting).toBe(WAITERS);

  await held[0]!.release();
  await waitFor(async () => (await ask<BoardKey>('/key?key=key-0')).totalWaiting === WAITERS - 1, {
    what: 'the next holder',
  });
  const rest = Promise.all(waiting.map(async (lock) => (await lock).release()));
  await Promise.all(held.slice(1).map((lock) => lock.release()));
  await rest;
  await app.close();
}, 120_000);

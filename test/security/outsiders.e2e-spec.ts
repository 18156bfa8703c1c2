import { describe, expect, it } from 'vitest';
import type { Semaphore } from 'zk-locks';
import { LockAccessError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { openInspector, openLocks, type TestLocks } from '../support/locks.js';
import { uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { credentials, openRestrictedPlace } from './support/place.js';

const NO_AUTH = -102;

const sharedCount = `${uniqueRoot()}/counts/gpu`;

/** Takes something twice, where the second call waits. Returns a function that releases all. */
type Take = (locks: TestLocks) => Promise<() => unknown>;

/** Takes all permits and waits for one: the server removes an empty queue's directory. */
async function takeAll(semaphore: Semaphore, take: number): Promise<() => unknown> {
  const permit = await semaphore.acquire({ take });
  const waiting = semaphore.acquire();
  const isWaiting = async () => (await semaphore.inspect()).waiters.length === 1;
  await waitFor(isWaiting, { what: 'a waiter' });
  return async () => {
    await permit.release();
    await (await waiting).release();
  };
}

/** What is taken, the number of its nodes, and how to take it. */
const KINDS: readonly [what: string, nodes: number, take: Take][] = [
  [
    'a write lock, and its waiter',
    3,
    async (locks) => {
      const lock = await locks.acquire('k');
      const waiting = locks.acquire('k');
      await waitFor(async () => (await locks.inspect('k')).total === 2, { what: 'a waiter' });
      return async () => {
        await lock.release();
        await (await waiting).release();
      };
    },
  ],
  [
    'read locks',
    3,
    async (locks) => {
      const readers = [
        await locks.acquire('k', { mode: 'read' }),
        await locks.acquire('k', { mode: 'read' }),
      ];
      return () => Promise.all(readers.map((reader) => reader.release()));
    },
  ],
  [
    'an upgradable lock that was upgraded',
    5,
    async (locks) => {
      const lock = await locks.acquireUpgradable('k');
      await lock.upgrade();
      // The upgrade does not wait until its marker, which is behind the lock, is gone.
      const isGone = async () => (await locks.inspect('k')).waiters.length === 0;
      await waitFor(isGone, { what: 'the end of the marker' });
      return () => lock.release();
    },
  ],
  [
    'a reader that has been a writer',
    2,
    async (locks) => {
      const reader = await locks.withLock('k', () => locks.acquire('k', { mode: 'read' }));
      return () => reader.release();
    },
  ],
  [
    'permits of a fixed number, and a waiter for one',
    6,
    (locks) => takeAll(locks.semaphore('k', { permits: 2 }), 2),
  ],
  [
    'permits of a shared count, and a waiter for one',
    7,
    (locks) => takeAll(locks.semaphore('k', { permits: { sharedCount, seed: 3 } }), 3),
  ],
  [
    'several locks together',
    4,
    async (locks) => {
      const locked = await locks.acquireAll(['a', { key: 'b', mode: 'read' }]);
      return () => locked.release();
    },
  ],
  [
    'an election',
    2,
    async (locks) => {
      const election = locks.election('k');
      await election.whenLeader();
      return () => election.close();
    },
  ],
];

it.each(KINDS)('can do nothing to %s', async (_, nodes, take) => {
  const { root, insider, outsiders, open } = await openRestrictedPlace();
  const locks = await open({ application: 'billing' });
  const release = await take(locks);
  const top = sharedCount.split('/').slice(0, 2).join('/');
  const counted = await insider.tree(top);
  await waitFor(async () => (await insider.tree(root)).length >= nodes, { what: `${nodes} nodes` });
  expect(await outsiders.deedsBelow(root)).toEqual([]);
  if (counted.length > 0) {
    expect(counted).toContain(sharedCount);
    expect(await outsiders.deedsBelow(top)).toEqual([]);
  }
  await release();
  // Deleted only now, because a waiter creates the count again.
  if (counted.length > 0) await insider.deleteTree(top);
  // Directories stay protected while they are unused.
  expect(await outsiders.deedsBelow(root)).toEqual([]);
});

const ONE_NODE: Take = async (locks) => {
  const lock = await locks.acquire('k');
  return () => lock.release();
};

describe.each(['creator', 'open'] as const)('with the ACL "%s"', (acl) => {
  it.each([
    ...KINDS.map(([what, , take]) => ({ what, take, options: {} })),
    { what: 'a lock of one node', take: ONE_NODE, options: { dialect: 'single-node' } as const },
  ])('can hide no node of $what, so that its owner would miss its deletion', async (kind) => {
    const { root, insider, open } = await openRestrictedPlace();
    const release = await kind.take(await open({ acl, ...kind.options }));
    const ephemeral: string[] = [];
    for (const path of await insider.tree(root)) {
      if ((await insider.get(path)).stat.ephemeralOwner !== '0') ephemeral.push(path);
    }
    expect(ephemeral).not.toEqual([]);
    for (const path of ephemeral) {
      const hiding = insider.restrictTo(path, 'mallory', 'secret');
      await expect(hiding).rejects.toMatchObject({ code: NO_AUTH });
    }
    await release();
  });
});

it('can do nothing to the parents of a root that were created, and everything to those that existed', async () => {
  const { root, insider, outsiders, open } = await openRestrictedPlace();
  await insider.create(root);
  const locks = await open({ root: `${root}/made/locks` });
  await using lock = await locks.acquire('k');
  expect(lock.isHeld).toBe(true);
  expect(await insider.tree(root)).toHaveLength(4);
  expect(await outsiders.deedsBelow(`${root}/made`)).toEqual([]);
  const anonymous = await openInspector();
  await anonymous.create(`${root}/beside`);
});

it.each([
  ['without credentials', {}],
  ['with another password', { credentials: { ...credentials, password: 'wrong' } }],
])('are told %s what to do', async (_, options) => {
  const { root, open } = await openRestrictedPlace();
  const locks = await open();
  await using lock = await locks.acquire('k');
  expect(lock.isHeld).toBe(true);
  const outsider = await openLocks({ root, ...options });
  const calls = [
    outsider.acquire('k'),
    outsider.acquire('new', { timeoutMs: 0 }),
    outsider.inspect('k'),
    outsider.list(),
    outsider.revoke('k'),
    outsider.acquireUpgradable('k'),
    outsider.semaphore('s', { permits: 1 }).acquire(),
  ];
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_ACCESS_DENIED' } });
    const reason: unknown = (call as PromiseRejectedResult).reason;
    expect(reason).toBeInstanceOf(LockAccessError);
    expect(String(reason)).toMatch(/refused access to \/test-.*`credentials`/);
  }
});

it('are told which directory of a semaphore refuses them', async () => {
  const root = uniqueRoot();
  const locks = await openLocks({ root });
  const leases = `${root}/s/leases`;
  const inspector = await openInspector();
  for (const path of [root, `${root}/s`, leases]) await inspector.create(path);
  await inspector.restrictTo(leases, credentials.username, credentials.password);
  for (const permits of [{ sharedCount, seed: 1 }, 1]) {
    const semaphore = locks.semaphore('s', { permits });
    const refusal = { code: 'LOCK_ACCESS_DENIED', path: leases };
    await expect(semaphore.acquire()).rejects.toMatchObject(refusal);
    await expect(semaphore.tryAcquire()).rejects.toMatchObject(refusal);
  }
  expect(locks.session.snapshot.refusal).toMatchObject({ path: leases });
});

it('are told that the directory of the guards refuses them', async () => {
  const root = uniqueRoot();
  const locks = await openLocks({ root, dialect: 'single-node' });
  const guards = `${root}/%guards`;
  const inspector = await openInspector();
  for (const path of [root, `${root}/k`, guards]) await inspector.create(path);
  await inspector.restrictTo(guards, credentials.username, credentials.password);
  await expect(locks.acquire('k')).rejects.toMatchObject({
    code: 'LOCK_ACCESS_DENIED',
    path: guards,
  });
  expect(locks.session.snapshot.refusal).toMatchObject({ path: guards });
});

import { expect, it } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import type { Lock, LockMode } from '../../libs/zk-locks/src/lock/lock.js';
import { ZkClosedError } from '../../libs/zk-client/src/zk-lock-error.js';
import { openLocks, type TestLocks } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const LONG_MS = 60_000;
const NONE = { create: 0, delete: 0, getChildren: 0, getData: 0 };

async function open(options: Partial<LocksOptions> = {}) {
  const place = await openBehindProxy({ cohort: { keepMs: LONG_MS }, ...options });
  const { root, locks, queued } = place;
  /** Acquires and releases a lock, which is then kept, and waits for all answers. */
  const keep = async (key = 'k', mode: LockMode = 'write'): Promise<bigint> => {
    const { fencingToken } = await use(await locks.acquire(key, { mode }));
    await locks.session.sync(locks.session.connectedLease!, root);
    return fencingToken;
  };
  return { ...place, keep, isGivenBack: () => queued(0) };
}

/**
 * Another process that keeps locks. A call that does not wait allows for five times the duration of
 * its own request. This process is far away, so that the lock is mostly released in that time.
 */
async function openFar(root: string): Promise<TestLocks> {
  const way = await openProxy();
  const far = { servers: way.connectString, sessionTimeoutMs: 40_000 };
  const locks = await openLocks({ ...far, root, cohort: { keepMs: 1 } });
  await way.delay(300);
  return locks;
}

async function use(lock: Lock): Promise<Lock> {
  await lock.release();
  return lock;
}

it('is granted again without a request, with tokens that rise under one node', async () => {
  const { proxy, locks, keep, queue } = await open();
  let last = await keep();
  await proxy.resetCounters();
  for (let times = 1; times <= 100; times++) {
    const { fencingToken } = await use(await locks.acquire('k'));
    expect(fencingToken).toBe(last + 1n);
    last = fencingToken;
  }
  await use((await locks.tryAcquire('k', { mode: 'read' }))!);
  await locks.withLock('k', () => expect(locks.counts).toEqual({ held: 1, waiting: 0 }));
  expect(await proxy.requests()).toMatchObject(NONE);
  expect(await queue()).toHaveLength(1);
});

it.each<[LockMode, LockMode]>([
  ['write', 'write'],
  ['write', 'read'],
  ['read', 'write'],
  ['read', 'read'],
])('a %s lock is released when another process asks for a %s lock', async (kept, wanted) => {
  const { proxy, others, keep, locks, isGivenBack } = await open();
  const token = await keep('k', kept);
  await proxy.resetCounters();
  const lock = await others.acquire('k', { mode: wanted });
  expect(lock.fencingToken).toBeGreaterThan(token);
  expect(await locks.tryAcquire('k')).toBeNull();
  await lock.release();
  await isGivenBack();
  expect(await proxy.requests()).toMatchObject({ create: 0, delete: 1 });
});

it('is acquired by tryAcquire() in another process, which waits for its release', async () => {
  const { root, keep, isGivenBack } = await open();
  const others = await openFar(root);
  for (const mode of ['write', 'read'] as const) {
    // On a busy machine, the lock may be released too late.
    const lock = await waitFor(
      async () => {
        await keep();
        return others.tryAcquire('k', { mode });
      },
      { what: 'a single try to be granted a kept lock' },
    );
    expect(lock.isHeld).toBe(true);
    await lock.release();
    await isGivenBack();
  }
});

it('records in its node how long it may be kept', async () => {
  const { locks, others, keep } = await open();
  await keep();
  const { holders } = await others.inspect('k');
  expect(holders).toMatchObject([{ holder: { cohort: true, keepMs: LONG_MS } }]);
  expect((await locks.inspect('k')).cohort).toEqual({ members: [], waiting: 0 });
});

it('is released for an upgradable lock and for an election of its own process', async () => {
  const { locks, keep } = await open();
  await keep();
  await use(await locks.acquireUpgradable('k', { timeoutMs: 10_000 }));
  await keep();
  const election = locks.election('k');
  await election.whenLeader();
  await election.close();
});

it('is acquired by a call for an upgradable lock that does not wait, in another process that keeps locks', async () => {
  const { root, keep } = await open();
  const others = await openFar(root);
  // On a busy machine, the lock may be released too late.
  const lock = await waitFor(
    async () => {
      await keep();
      return others.acquireUpgradable('k', { timeoutMs: 0 });
    },
    { what: 'a single try to be granted a kept lock' },
  );
  await use(lock);
});

it('has its session proved alive by transactions, like a held lock', async () => {
  const { proxy, keep } = await open({ sessionTimeoutMs: 6_000, tickTimeMs: 500 });
  await keep();
  await proxy.resetCounters();
  await waitFor(async () => (await proxy.requests()).heartbeat >= 2, { what: 'two heartbeats' });
  expect(await proxy.requests()).toMatchObject({ sync: 0 });
});

/** Whether the lock is granted and released within one turn of the event loop. */
async function isUsedAtOnce(acquiring: Promise<Lock>): Promise<boolean> {
  let isUsed = false as boolean;
  const note = async (lock: Lock): Promise<void> => {
    isUsed = true;
    await lock.release();
  };
  acquiring.then(note, () => undefined);
  for (let times = 0; times < 50; times++) await Promise.resolve();
  return isUsed;
}

it('is granted after a pause of such a loop, and not before it', async () => {
  const { locks, keep } = await open();
  await keep();
  let acquiring = locks.acquire('k');
  while (await isUsedAtOnce(acquiring)) acquiring = locks.acquire('k');
  const closing = locks.close();
  await expect(acquiring).rejects.toThrow(ZkClosedError);
  await closing;
});

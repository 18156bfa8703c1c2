import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { LockLostError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { lossOf, openInspector, openLocks } from '../support/locks.js';
import { uniqueRoot } from '../support/shared-server.js';
import { startServer } from '../support/test-server.js';
import { waitFor } from '../support/wait-for.js';

const HOUR_MS = 3_600_000;

/** With this timeout, a heartbeat is sent only every 40 s unless the server is asked at once. */
const sessionTimeoutMs = 400_000;

/** The server is asked at once, not by the next heartbeat. */
const CERTAIN = { what: 'the lock to be certain', timeoutMs: sessionTimeoutMs / 11 };
let options: { servers: string; sessionTimeoutMs: number; tickTimeMs: number };

beforeAll(async () => {
  const server = await startServer({ maxSessionTimeoutMs: sessionTimeoutMs });
  options = { servers: server.connectString, sessionTimeoutMs, tickTimeMs: 500 };
  return () => server.stop();
});

afterEach(() => void vi.restoreAllMocks());

function setWallClockForward(): void {
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + HOUR_MS);
}

it.each([false, {}])(
  'returns the result of finished work although the wall clock was set forward, with cohort: %o',
  async (cohort) => {
    const locks = await openLocks({ ...options, root: uniqueRoot(), cohort });
    const signals: AbortSignal[] = [];
    const work = ({ signal, isHeld }: Pick<Lock, 'signal' | 'isHeld'>): string => {
      signals.push(signal);
      setWallClockForward();
      return isHeld ? 'was held' : 'was not held';
    };
    const startedAt = performance.now();
    await expect(locks.withLock('k', work)).resolves.toBe('was held');
    vi.restoreAllMocks();
    await expect(locks.withLocks(['k', 'l'], {}, work)).resolves.toBe('was held');
    vi.restoreAllMocks();
    const semaphore = locks.semaphore('s', { permits: 1 });
    await expect(semaphore.withPermit(work)).resolves.toBe('was held');
    expect(performance.now() - startedAt).toBeLessThan(sessionTimeoutMs / 10);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  },
);

it('neither claims to hold a lock nor reports a loss while that is uncertain', async () => {
  const locks = await openLocks({ ...options, root: uniqueRoot() });
  await using lock = await locks.acquire('k');
  setWallClockForward();
  expect(lock.isHeld).toBe(false);
  expect(() => lock.assertHeld()).toThrow('was lost');
  await waitFor(() => lock.isHeld, CERTAIN);
  lock.assertHeld();
  expect(lock.signal.aborted).toBe(false);
});

it('joins a lock for writing while it is uncertain, and does not pass it on to readers after that', async () => {
  const root = uniqueRoot();
  const locks = await openLocks({ ...options, root });
  const other = await openLocks({ ...options, root });
  await locks.withLock('k', async (lock) => {
    await using reader = await locks.acquire('k', { mode: 'read' });
    setWallClockForward();
    const joining = locks.acquire('k');
    await lock.release();
    await using writer = await joining;
    await waitFor(() => writer.isHeld, CERTAIN);
    expect(reader.isHeld).toBe(true);
    expect(await other.tryAcquire('k', { mode: 'read' })).toBeNull();
  });
});

it('returns no result of finished work before it is certain that the lock was not lost', async () => {
  const locks = await openLocks({ ...options, root: uniqueRoot() });
  const section = locks.withLock('k', ({ isHeld, signal }) => {
    setWallClockForward();
    // After the check whether the section has lost its lock, and before the server's answer.
    setImmediate(() => locks.session.giveUp(locks.session.connectedLease!));
    return isHeld && !signal.aborted;
  });
  await expect(section).rejects.toThrow(LockLostError);
});

/** Locks with a margin, and a function that deletes the nodes of one. */
async function openWithMargin() {
  const root = uniqueRoot();
  const inspector = await openInspector(options.servers);
  const locks = await openLocks({ ...options, root, marginMs: 1_000 });
  const lose = async (lock: Lock): Promise<void> => {
    for (const node of await inspector.childrenIfAny(`${root}/k`)) {
      await inspector.delete(`${root}/k/${node}`);
    }
    await lossOf(lock);
  };
  return { locks, lose };
}

it('ends a section although the wall clock was set forward after its lock with a margin was lost', async () => {
  const { locks, lose } = await openWithMargin();
  const section = locks.withLock('k', async (lock) => {
    await lose(lock);
    setWallClockForward();
  });
  await expect(section).rejects.toThrow(LockLostError);
});

it('ends a section although the wall clock was set forward after its session was over', async () => {
  const { locks, lose } = await openWithMargin();
  const section = locks.withLock('k', async (lock) => {
    await lose(lock);
    locks.session.giveUp(locks.session.connectedLease!);
    setWallClockForward();
  });
  await expect(section).rejects.toThrow(LockLostError);
});

it('ends a section although its lock with a margin is released while the state is uncertain', async () => {
  const locks = await openLocks({ ...options, root: uniqueRoot(), marginMs: 1_000 });
  await locks.withLock('k', (lock) => {
    setWallClockForward();
    // After the check whether the section has lost its lock.
    setImmediate(() => void lock.release());
  });
});

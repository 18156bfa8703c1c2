import { expect, it, vi } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { LockLostError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { ZkLockConfigError } from '../../libs/zk-client/src/zk-lock-error.js';
import { cutOff, lossOf, reconnect } from '../support/locks.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/**
 * The session and its margin are long enough for a busy machine to notice a cut and to reconnect.
 */
const session = { sessionTimeoutMs: 10_000, tickTimeMs: 500 };
const marginMs = 4_000;

const open = (options: Partial<LocksOptions> = {}) => openBehindProxy({ ...session, ...options });
type Open = Awaited<ReturnType<typeof open>>;

interface Held {
  readonly signal: AbortSignal;
  readonly isHeld: boolean;
  assertHeld(): void;
}

/** The loss of a lock or permit, and the state of the session at that time. */
async function lossAndState({ locks }: Open, { signal }: Held) {
  const states: string[] = [];
  signal.addEventListener('abort', () => states.push(locks.session.snapshot.state.name));
  const { reason } = (await lossOf({ signal })) as LockLostError;
  return { reason, state: states[0] };
}

const REACHED = { reason: 'margin-reached', state: 'suspended' };

it('aborts before the lease is over, and keeps the lock from others until the work has stopped', async () => {
  const place = await open({ marginMs });
  const { locks, others, proxy, queued } = place;
  const lock = await locks.acquire('k');
  const waiting = others.acquire('k');
  await queued(2);
  await cutOff(proxy, locks);
  expect(lock.isHeld).toBe(true);
  expect(await lossAndState(place, lock)).toEqual(REACHED);
  expect(lock.isHeld).toBe(false);
  expect(() => lock.assertHeld()).toThrow('so the session may end once `marginMs`');
  await expect(lock.transact((tx) => tx.set('/any', ''))).rejects.toMatchObject({
    reason: 'margin-reached',
  });
  await proxy.accept();
  await waitFor(() => locks.session.isConnected, { what: 'the same session to be back' });
  await queued(2);
  expect(others.counts).toEqual({ held: 0, waiting: 1 });
  expect(lock.isHeld).toBe(false);
  await using other = await locks.acquire('other');
  expect(other.isHeld).toBe(true);
  await lock.release();
  await using next = await waiting;
  expect(next.isHeld).toBe(true);
});

it('holds for every kind of lock', async () => {
  const place = await open({ marginMs });
  const { locks, proxy } = place;
  const election = locks.election('leader');
  const multi = await locks.acquireAll(['a', 'b']);
  const upgradable = await locks.acquireUpgradable('upgradable');
  const held: Held[] = [
    await locks.acquire('write'),
    await locks.acquire('read', { mode: 'read' }),
    multi,
    upgradable,
    await upgradable.upgrade(),
    await locks.semaphore('permits', { permits: 2 }).acquire({ take: 2 }),
    await election.whenLeader(),
  ];
  await cutOff(proxy, locks);
  const told = await Promise.all(held.map((each) => lossAndState(place, each)));
  expect(told).toEqual(held.map(() => REACHED));
  expect(held.map(({ isHeld }) => isHeld)).toEqual(held.map(() => false));
  expect(election.isLeader).toBe(false);
  await proxy.accept();
  await waitFor(() => locks.session.isConnected, { what: 'the same session to be back' });
});

it('keeps the node of a term until the margin has passed, for work that no caller awaits', async () => {
  const place = await open({ marginMs });
  const { locks, others, proxy, queued } = place;
  const election = locks.election('k');
  const term = await election.whenLeader();
  const next = others.election('k');
  await queued(2);
  await cutOff(proxy, locks);
  expect(await lossAndState(place, term)).toEqual(REACHED);
  const lostAt = performance.now();
  await proxy.accept();
  await waitFor(() => locks.session.isConnected, { what: 'the same session to be back' });
  await next.whenLeader();
  // Timers are not exact.
  expect(performance.now() - lostAt).toBeGreaterThan(0.9 * marginMs);
  await queued(2);
});

it('is not reached by a healthy session, even across a reconnect', async () => {
  // Close to the maximum for such a session.
  const { locks, proxy } = await open({ sessionTimeoutMs: 40_000, marginMs: 23_000 });
  await using lock = await locks.acquire('k');
  const lost = vi.fn();
  lock.signal.addEventListener('abort', lost);
  await reconnect(proxy, locks);
  const { lastRoundTripMs: before } = locks.session.snapshot;
  await waitFor(() => locks.session.snapshot.lastRoundTripMs !== before, { what: 'a heartbeat' });
  lock.assertHeld();
  expect(lost).not.toHaveBeenCalled();
});

it('is refused by calls, which have none of their own', async () => {
  const { locks } = await open();
  const own = { marginMs } as object;
  const refusals = [
    locks.acquire('k', own),
    locks.withLock('k', own, () => undefined),
    locks.acquireAll(['k'], own),
    locks.acquireUpgradable('k', own),
    locks.runAtMostEvery('k', 1_000, own, () => undefined),
    locks.semaphore('permits', { permits: 1 }).acquire(own),
  ];
  for (const refused of refusals) {
    await expect(refused).rejects.toThrow(ZkLockConfigError);
    await expect(refused).rejects.toThrow('Set `marginMs` for the connection');
  }
});

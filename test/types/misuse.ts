import type { LeaderTerm, LockService, MultiLock, Permit, UpgradableLock } from 'nestjs-zk-lock';

/**
 * Compiled by `npm run check:types`, and never run: it fails where the compiler lets a mistake pass.
 */

// @ts-expect-error a permit has no fencing token
export type FencingToken = Permit['fencingToken'];
// @ts-expect-error a permit has no mode
export type Mode = Permit['mode'];
// @ts-expect-error several locks have a fencing token each, and none together
export type FencingTokenOfSeveral = MultiLock['fencingToken'];
// @ts-expect-error a term is given up by the election, which queues up again
export type ReleaseOfTerm = LeaderTerm['release'];

export async function misuse(
  locks: LockService,
  permit: Permit,
  upgradable: UpgradableLock,
): Promise<void> {
  // @ts-expect-error there is no such mode
  await locks.acquire('k', { mode: 'upgradable' });
  // @ts-expect-error an upgradable lock begins as a reader
  await locks.acquireUpgradable('k', { mode: 'write' });
  // @ts-expect-error it never joins another lock
  await locks.acquireUpgradable('k', { reentrant: true });
  // @ts-expect-error its node says already what it is for
  await upgradable.upgrade({ label: 'x' });
  // @ts-expect-error only an upgradable lock becomes a writer
  const _upgrade: UpgradableLock = await locks.acquire('k', { mode: 'read' });
  // @ts-expect-error a single try does not wait
  await locks.tryAcquire('k', { timeoutMs: 1 });
  // @ts-expect-error a lock has no permits
  await locks.acquire('k', { permits: 2 });
  // @ts-expect-error nor has a single try
  await locks.tryAcquire('k', { permits: 2 });
  // @ts-expect-error a permit is no lock
  await locks.withLock('k', (lock) => permit === lock);
  // @ts-expect-error permits have no mode
  await locks.semaphore('k', { permits: 2 }).acquire({ mode: 'read' });
  // @ts-expect-error a single try does not wait
  await locks.semaphore('k', { permits: 2 }).tryAcquire({ timeoutMs: 1 });
  // @ts-expect-error a shared count has a seed
  locks.semaphore('k', { permits: { sharedCount: '/c' } });
  // @ts-expect-error how many there are has to be said
  locks.semaphore('k', {});
}

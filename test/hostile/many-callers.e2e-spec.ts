import { type LockEvents, onLockEvents } from 'nestjs-zk-lock/events';
import { expect, it, onTestFinished } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import {
  openInspector,
  openLocks,
  openLogged,
  ownRoot,
  refusedWithHolders,
} from '../support/locks.js';
import { errorOf } from './support/judge.js';

/** Locks of two processes, one of which limits its waiting calls, with what that one logs. */
async function open(options: Partial<LocksOptions>) {
  const root = ownRoot();
  return { root, ...(await openLogged({ root, ...options })), holder: await openLocks({ root }) };
}

const full = (option: string, limit: number): unknown =>
  expect.objectContaining({ code: 'LOCK_QUEUE_FULL', option, limit });

it.each([
  ['each with a node of its own', {}],
  ['in a cohort', { cohort: {} }],
])('calls beyond the limits are refused, for any key and mode: %s', async (_what, options) => {
  const { root, locks, holder } = await open({ ...options, maxWaiting: { perKey: 3, total: 5 } });
  const inspector = await openInspector();
  const lock = await holder.acquire('k');
  const other = await holder.acquire('other');
  const waiting = Array.from({ length: 3 }, () => locks.acquire('k'));
  expect(await errorOf(locks.acquire('k'))).toEqual(full('maxWaiting.perKey', 3));
  expect(await errorOf(locks.acquire('k', { mode: 'read' }))).toEqual(full('maxWaiting.perKey', 3));
  expect(await errorOf(locks.acquireUpgradable('k'))).toEqual(full('maxWaiting.perKey', 3));
  expect(await errorOf(locks.acquireAll(['a', 'k']))).toEqual(full('maxWaiting.perKey', 3));
  expect(await locks.tryAcquire('k')).toBeNull();
  const others = [locks.acquire('other'), locks.acquire('other')];
  const semaphore = locks.semaphore('s', { permits: 1 });
  expect(await errorOf(semaphore.acquire())).toEqual(full('maxWaiting.total', 5));
  const permit = await semaphore.tryAcquire();
  const election = locks.election('leader');
  await election.whenLeader();
  await election.close();
  await permit?.release();
  expect(await inspector.childrenIfAny(`${root}/a`)).toEqual([]);
  expect(locks.counts).toEqual({ held: 0, waiting: 5 });
  await lock.release();
  await other.release();
  for (const calls of [waiting, others]) for (const call of calls) await (await call).release();
  await (await locks.acquire('k')).release();
});

it('a call that joins its own lock does not wait', async () => {
  const { locks } = await open({ maxWaiting: { perKey: 1, total: 1 } });
  const done = await locks.withLock('k', () => {
    const waiting = refusedWithHolders(() =>
      locks.acquire('k', { reentrant: false, timeoutMs: 2_000 }),
    );
    return locks.withLock('k', async () => [await waiting, 'done']);
  });
  expect(done).toEqual([expect.objectContaining({ code: 'LOCK_TIMEOUT' }), 'done']);
});

it('refused calls are reported as refused, with one warning', async () => {
  const { locks, holder, logger } = await open({ maxWaiting: { perKey: 1 } });
  const ends: LockEvents['waitEnd'][] = [];
  onTestFinished(onLockEvents({ waitEnd: (event) => void ends.push(event) }));
  const lock = await holder.acquire('k');
  const waiting = locks.acquire('k');
  const error = await errorOf(locks.acquire('k', { label: 'beyond' }));
  await errorOf(locks.acquire('k'));
  await lock.release();
  await (await waiting).release();
  expect(ends.find(({ label }) => label === 'beyond')).toMatchObject({ result: 'full', error });
  expect(logger.of('warn', 'error')).toEqual([
    expect.stringMatching(/^warn: The write lock "k" was refused: 1 call in this process is /),
  ]);
});

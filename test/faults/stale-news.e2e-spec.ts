import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { Lock, Locks, LocksOptions } from 'zk-locks';
import type { LockWorker } from '../support/lock-worker.js';
import { openInspector, openLocks, openWorker, ownRoot } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import type { Granted } from '../workers/lock/protocol.js';

/*
 * A process that was stopped runs its timers before it reads its sockets, and one that is cut off
 * receives nothing. In the meantime an operator has broken its locks, and another process has them.
 */

const KEPT = { cohort: { keepMs: 60_000 } };
const PHASES = ['poll', 'check'] as const;

async function open(options: Partial<LocksOptions>) {
  const root = ownRoot();
  const folder = makeTempDir('hang');
  onTestFinished(() => removeTempDir(folder));
  const proxy = await openProxy();
  const inspector = await openInspector();
  const nodes = (): Promise<string[]> => inspector.childrenIfAny(`${root}/k`);
  const worker = await openWorker({ root, servers: proxy.connectString, ...options });
  // Stopping the worker releases the locks that it keeps.
  onTestFinished(() => worker.stop());
  const others = await openLocks({ root });
  const file = `${folder}/wakes`;
  const wake = (): void => writeFileSync(file, '');
  onTestFinished(wake);
  return { root, proxy, inspector, nodes, worker, others, file, wake };
}

/** Makes the worker keep the lock, unused. */
async function keep(worker: LockWorker): Promise<void> {
  await worker.release((await worker.acquire('k')).lock);
  // This grant came from memory: by then the worker knows that there is no other contender.
  const { lock, fencingToken } = await worker.acquire('k');
  expect(BigInt(fencingToken) & 1_023n).toBe(1n);
  await worker.release(lock);
}

/** Breaks the lock of each holder and waiter of the key, and acquires it. */
async function breakAll(others: Locks): Promise<Lock> {
  const { holders, waiters } = await others.inspect('k');
  for (const { node, fencingToken } of [...waiters, ...holders]) {
    await others.breakLock('k', { node, token: fencingToken });
  }
  return others.acquire('k');
}

/** The other process must not be granted the lock before this one has released it. */
async function expectBehind(
  lock: Lock,
  granting: Promise<Granted>,
  nodes: () => Promise<string[]>,
): Promise<Granted> {
  let granted: Granted | undefined;
  void granting.then((result) => (granted = result));
  await waitFor(async () => granted !== undefined || (await nodes()).length > 1, {
    what: 'the worker to queue up',
  });
  expect(granted).toBeUndefined();
  expect(lock.isHeld).toBe(true);
  await lock.release();
  const behind = await granting;
  expect(BigInt(behind.fencingToken)).toBeGreaterThan(lock.fencingToken);
  return behind;
}

it.each(PHASES)(
  'a kept lock whose node was deleted while its process hung (%s) is not granted from memory',
  async (phase) => {
    const { root, inspector, worker, others, nodes, file, wake } = await open(KEPT);
    await keep(worker);
    const granting = worker.tell('hangAndAcquire', phase, file, 'k');
    await worker.untilHanging();
    const since = performance.now();
    for (const node of await nodes()) await inspector.delete(`${root}/k/${node}`);
    const lock = await others.acquire('k');
    // News that are 75 ms old count as fresh.
    await waitFor(() => performance.now() - since > 100, { what: 'the process to have hung' });
    wake();
    await worker.release((await expectBehind(lock, granting, nodes)).lock);
  },
);

it('a kept lock that was broken while its process hung (timers) is not granted from memory', async () => {
  const { worker, others, nodes, file, wake } = await open(KEPT);
  await keep(worker);
  const granting = worker.tell('hangAndAcquire', 'timers', file, 'k');
  await worker.untilHanging();
  const lock = await breakAll(others);
  wake();
  await worker.release((await expectBehind(lock, granting, nodes)).lock);
});

it('a kept lock is not granted from memory before a long backlog of messages has been read', async () => {
  const { root, proxy, inspector, worker, others, nodes, file, wake } = await open(KEPT);
  await keep(worker);
  await inspector.create(`${root}-large`, Buffer.alloc(900_000));
  onTestFinished(() => inspector.delete(`${root}-large`));
  await proxy.freezeTowards('client');
  await worker.tell('read', `${root}-large`, 12);
  const granting = worker.tell('hangAndAcquire', 'timers', file, 'k');
  await worker.untilHanging();
  const lock = await breakAll(others);
  await proxy.thaw();
  wake();
  await worker.release((await expectBehind(lock, granting, nodes)).lock);
});

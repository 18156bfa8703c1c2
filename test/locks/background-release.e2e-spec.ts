import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { FaultProxy } from '../support/fault-proxy.js';
import { openInspector, openLocks, ownRoot, type TestLocks } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function open(options: Partial<LocksOptions> = {}) {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const inspector = await openInspector();
  const locks = await openLocks({ root, servers: proxy.connectString, ...options });
  /** All nodes of locks, but not their directories. */
  const nodes = async (): Promise<string[]> =>
    (await inspector.tree(root)).filter((path) => /\d{10}$/.test(path));
  return { root, proxy, locks, nodes };
}

const background = { release: 'background' } as const;

const RELEASES: readonly [what: string, hold: (locks: TestLocks) => Promise<() => unknown>][] = [
  [
    'a lock',
    async (locks) => {
      const lock = await locks.acquire('k', background);
      return () => lock.release();
    },
  ],
  [
    'what a nested call has joined, and keeps for longer',
    async (locks) => {
      const inner = await locks.withLock('k', () => locks.acquire('k', background));
      return () => inner.release();
    },
  ],
  [
    'an upgradable lock that was upgraded',
    async (locks) => {
      const lock = await locks.acquireUpgradable('k', background);
      const writing = await lock.upgrade();
      return () => Promise.all([writing.release(), lock.release()]);
    },
  ],
  [
    'several locks',
    async (locks) => {
      const both = await locks.acquireAll(['k', 'l'], background);
      return () => both.release();
    },
  ],
  [
    'permits',
    async (locks) => {
      const permit = await locks.semaphore('s', { permits: 2 }).acquire(background);
      return () => permit.release();
    },
  ],
];

it.each(RELEASES)('does not wait for the answer to the release of %s', async (_, hold) => {
  const { proxy, locks, nodes } = await open();
  const release = await hold(locks);
  await proxy.freezeTowards('client');
  await release();
  await waitFor(async () => (await nodes()).length === 0, { what: 'the nodes to be gone' });
  await proxy.thaw();
});

it('waits for the answer where nobody says otherwise', async () => {
  const { proxy, locks, nodes } = await open();
  const lock = await locks.acquire('k');
  await proxy.freezeTowards('client');
  let isOver = false;
  const releasing = lock.release().then(() => (isOver = true));
  await waitFor(async () => (await nodes()).length === 0, { what: 'the node to be gone' });
  expect(isOver).toBe(false);
  await proxy.thaw();
  await releasing;
});

it('goes by what the manager was told, unless the call says otherwise', async () => {
  const { proxy, locks, nodes } = await open(background);
  const waiting = await locks.acquire('k', { release: 'wait' });
  await locks.withLock('l', () => proxy.freezeTowards('client'));
  let isOver = false;
  const releasing = waiting.release().then(() => (isOver = true));
  await waitFor(async () => (await nodes()).length === 0, { what: 'the nodes to be gone' });
  expect(isOver).toBe(false);
  await proxy.thaw();
  await releasing;
});

it('gives the lock to the next call of the same process as if it had waited', async () => {
  const { proxy, locks } = await open(background);
  let tokens: bigint[] = [];
  for (let round = 0; round < 5; round++) {
    const lock = await locks.tryAcquire('k');
    tokens = [...tokens, lock!.fencingToken];
    await lock!.release();
  }
  expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
  expect((await proxy.requests()).create).toBeGreaterThanOrEqual(5);
});

it('goes on until the node is gone, when the request is lost', async () => {
  const { proxy, locks, nodes } = await open();
  const lock = await locks.acquire('k', background);
  const loss = await proxy.loseNextRequest('delete');
  await lock.release();
  await loss.happened;
  await waitFor(async () => (await nodes()).length === 0, { what: 'the node to be gone' });
});

it('is waited for by a shutdown, which ends the session only then', async () => {
  const { proxy, locks, nodes } = await open();
  const lock = await locks.acquire('k', background);
  await proxy.freezeTowards('client');
  await lock.release();
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
  await waitFor(async () => (await nodes()).length === 0, { what: 'the node to be gone' });
  const close = vi.spyOn(locks.session, 'close');
  const closing = locks.close();
  await nextTurn();
  expect(close).not.toHaveBeenCalled();
  await proxy.thaw();
  await closing;
  expect(close).toHaveBeenCalledOnce();
});

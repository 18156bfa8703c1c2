import { expect, it, vi } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { type TestLocks } from '../support/locks.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

async function open(options: Partial<LocksOptions> = {}) {
  const { root, inspector, proxy, locks } = await openBehindProxy(options);
  const nodes = async (): Promise<string[]> =>
    (await inspector.tree(root)).filter((path) => /\d{10}$/.test(path));
  /** Resolves once the nodes of all keys are gone; their directories may stay. */
  const untilGone = (): Promise<unknown> =>
    waitFor(async () => (await nodes()).length === 0, { what: 'the nodes to be gone' });
  return { proxy, locks, untilGone };
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
  const { proxy, locks, untilGone } = await open();
  const release = await hold(locks);
  await proxy.freezeTowards('client');
  await release();
  await untilGone();
  await proxy.thaw();
});

it.each([
  ['no option says otherwise', {}, {}],
  ['the call says so, and not what the manager was told', background, { release: 'wait' }],
] as const)('waits for the answer if %s', async (_, managerOptions, callOptions) => {
  const { proxy, locks, untilGone } = await open(managerOptions);
  const lock = await locks.acquire('k', callOptions);
  const other = await locks.acquire('l', background);
  await proxy.freezeTowards('client');
  await other.release();
  let isOver = false;
  const releasing = lock.release().then(() => (isOver = true));
  await untilGone();
  expect(isOver).toBe(false);
  await proxy.thaw();
  await releasing;
});

it('is awaited by a shutdown, which ends the session only then', async () => {
  const { proxy, locks, untilGone } = await open();
  const lock = await locks.acquire('k', background);
  await proxy.freezeTowards('client');
  await lock.release();
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
  await untilGone();
  const close = vi.spyOn(locks.session, 'close');
  const closing = locks.close();
  // Meanwhile, the server answers another session.
  await untilGone();
  expect(close).not.toHaveBeenCalled();
  await proxy.thaw();
  await closing;
  expect(close).toHaveBeenCalledOnce();
});

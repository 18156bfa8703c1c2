import { expect, it, onTestFinished } from 'vitest';
import type { Lock, LockMode } from '../../libs/zk-locks/src/lock.js';
import type { LocksOptions } from 'zk-locks';
import type { DialectName } from '../../libs/zk-locks/src/queue/dialect.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { lockNodes, openInspector, openLocks, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function openProxiedLocks(options: Partial<LocksOptions> = { root: ownRoot() }) {
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const locks = await openLocks({ servers: proxy.connectString, ...options });
  return { proxy, locks };
}

async function watchesOnServer(): Promise<number> {
  const answer = await sharedServer().fourLetterWord('wchs');
  return Number(/Total watches:(\d+)/.exec(answer)?.[1]);
}

it('wakes one waiting writer of fifty at a release, with two watches each', async () => {
  const { proxy, locks } = await openProxiedLocks();
  const before = await watchesOnServer();
  const holder = await locks.acquire('k');
  const granted: Lock[] = [];
  const waiting = Array.from({ length: 50 }, async () => {
    const lock = await locks.acquire('k');
    granted.push(lock);
  });
  // Each watches its own node and the one before it: in one session, that is one for each node.
  await waitFor(async () => (await watchesOnServer()) - before === 51, { what: '51 watches' });

  await proxy.resetCounters();
  await holder.release();
  await waitFor(() => granted.length === 1, { what: 'the first waiter to be granted' });

  expect(await proxy.notifications()).toBe(1);
  // Of those before it, this process has seen the last one go.
  expect(await proxy.requests()).toMatchObject({ delete: 1, getChildren: 0, getData: 0 });
  expect(await watchesOnServer()).toBe(before + 50);
  expect(locks.counts).toEqual({ held: 1, waiting: 49 });

  for (let next = 0; next < 50; next++) {
    await waitFor(() => granted[next], { what: `waiter ${next}` });
    await granted[next]?.release();
  }
  await Promise.all(waiting);
  expect(await watchesOnServer()).toBe(before);
});

const LOOK = { getChildren: 1, getData: 0 };
const NOTHING = { getChildren: 0, getData: 0 };

it.each<[what: string, dialect: DialectName, requests: Partial<Record<'getChildren', number>>]>([
  ['looks at the queue once', 'curator-rw', LOOK],
  ['asks nothing', 'curator-mutex', NOTHING],
])('%s when a writer of another process has left before it (%s)', async (_, dialect, requests) => {
  const options = { root: ownRoot(), dialect };
  const others = await openLocks(options);
  const { proxy, locks } = await openProxiedLocks(options);
  const holder = await others.acquire('k');
  const waiting = locks.acquire('k');
  // Itself, and the holder.
  await waitFor(async () => (await proxy.requests()).getData === 2, { what: 'two watches' });

  await proxy.resetCounters();
  await holder.release();
  await using lock = await waiting;
  expect(lock.isHeld).toBe(true);
  expect(await proxy.requests()).toMatchObject(requests);
});

it.each<[what: string, mode: LockMode, requests: Partial<Record<'getChildren', number>>]>([
  ['looks at the queue behind a writer that an operator removed', 'write', LOOK],
  ['asks nothing behind a waiter of its process that has given up', 'read', NOTHING],
])('%s', async (_, mode, requests) => {
  const root = ownRoot();
  const inspector = await openInspector();
  const { proxy, locks } = await openProxiedLocks({ root });
  const holder = await locks.acquire('k', { mode });
  const [holderNode] = await lockNodes(inspector, `${root}/k`);
  const controller = new AbortController();
  const leaving = locks.acquire('k', { signal: controller.signal }).catch(() => undefined);
  await waitFor(async () => (await proxy.requests()).getData === 2, { what: 'the next to wait' });
  const waiting = locks.acquire('k');
  await waitFor(async () => (await proxy.requests()).getData === 3, { what: 'the last to wait' });

  await proxy.resetCounters();
  if (mode === 'write') {
    await inspector.delete(`${root}/k/${String(holderNode)}`);
    const granted = await leaving;
    expect(holder.isHeld).toBe(false);
    await granted?.release();
  } else {
    controller.abort();
    await waitFor(async () => (await proxy.requests()).delete === 1, { what: 'its node to go' });
    await holder.release();
  }
  await (await waiting).release();
  expect(await proxy.requests()).toMatchObject(requests);
});

it('lets three readers between two writers in together, and then the last writer alone', async () => {
  const { proxy, locks } = await openProxiedLocks();
  const granted: string[] = [];
  const held = new Map<string, Lock>();
  const queueUp = async (name: string, mode: LockMode): Promise<void> => {
    const { waiting } = locks.counts;
    const creates = (await proxy.requests()).create;
    void locks.acquire('k', { mode }).then((lock) => {
      granted.push(name);
      held.set(name, lock);
    });
    const isQueued = async (): Promise<boolean> => (await proxy.requests()).create > creates;
    await waitFor(isQueued, { what: `${name} to queue up` });
    expect(locks.counts.waiting).toBe(waiting + 1);
  };
  const holder = await locks.acquire('k');
  for (const name of ['W1', 'R1', 'R2', 'R3', 'W2']) {
    await queueUp(name, name.startsWith('W') ? 'write' : 'read');
  }

  await holder.release();
  await waitFor(() => granted.length === 1, { what: 'the first writer' });
  expect(granted).toEqual(['W1']);

  await held.get('W1')?.release();
  await waitFor(() => granted.length === 4, { what: 'the three readers' });
  expect(granted.slice(1).toSorted()).toEqual(['R1', 'R2', 'R3']);

  await held.get('R2')?.release();
  await held.get('R1')?.release();
  expect(granted).not.toContain('W2');
  await held.get('R3')?.release();
  await waitFor(() => granted.length === 5, { what: 'the last writer' });
  await held.get('W2')?.release();
});

it('lets a reader wait for the last writer before it, not for the first', async () => {
  const { proxy, locks } = await openProxiedLocks();
  const first = await locks.acquire('k');
  const second = locks.acquire('k');
  await waitFor(() => locks.counts.waiting === 1, { what: 'the second writer to wait' });
  let isReading = false;
  const reader = locks.acquire('k', { mode: 'read' }).then((lock) => {
    isReading = true;
    return lock;
  });
  // Their own nodes, which they wait for as well.
  await waitFor(async () => (await proxy.requests()).getData === 3, {
    what: 'the reader to watch',
  });

  await proxy.resetCounters();
  await first.release();
  const secondWriter = await second;
  // Had the reader watched the first writer, it would have looked at the queue again by now.
  expect(await proxy.requests()).toMatchObject({ getChildren: 0 });
  expect(isReading).toBe(false);
  await secondWriter.release();
  await (await reader).release();
});

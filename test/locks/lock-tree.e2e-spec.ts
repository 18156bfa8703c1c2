import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LockTree, type TreeChange } from 'zk-locks/inspect';
import type { Session } from '../../libs/zk-client/src/session/session.js';
import { openProxy } from '../support/open-proxy.js';
import type { InspectClient } from '../support/inspect-client.js';
import type { TestLocks } from '../support/locks.js';
import { inOrder, openPlace } from '../support/place.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

it('shows keys as their own nodes describe them, whatever the dialect', async () => {
  const { root, inspector } = await openPlace();
  const theirs = {
    kazoo: '0d0b2f5e8a514f6e9a531f1f4b0c0001__lock__',
    mutex: '_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-lock-',
  };
  await inspector.create(root);
  for (const [key, name] of Object.entries(theirs)) {
    await inspector.create(`${root}/${key}`);
    await inspector.create(`${root}/${key}/${name}`, '192.168.0.7', 'ephemeralSequential');
  }
  await inspector.create(`${root}/mutex/notes`, 'x');
  await inspector.create(`${root}/one`);
  const one = await inspector.create(`${root}/one/lock`, 'by hand', 'persistent');
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  onTestFinished(() => tree.close());
  const keys = await tree.read();
  expect(keys.get('kazoo')).toMatchObject({
    ...{ kind: 'lock', dialects: ['kazoo'], strangers: [] },
    holders: [{ mode: 'write', holder: undefined, text: '192.168.0.7' }],
  });
  expect(keys.get('mutex')).toMatchObject({ dialects: ['curator-mutex'], strangers: ['notes'] });
  expect(keys.get('one')).toMatchObject({
    ...{ kind: 'single-node', lastSequence: undefined },
    holders: [{ node: 'lock', isEphemeral: false, session: undefined, text: 'by hand' }],
  });
  await inspector.delete(one);
});

it('shows a semaphore as one whatever is beside its parts, and the strangers in its queue', async () => {
  const { root, inspector } = await openPlace();
  const lease = `_c_${randomUUID()}-lease-`;
  const lock = `_c_${randomUUID()}-__WRIT__`;
  await inspector.create(root);
  for (const key of ['s', 'both']) {
    for (const part of ['', '/locks', '/leases', '/note', '/locks/foreign']) {
      await inspector.create(`${root}/${key}${part}`);
    }
    await inspector.create(`${root}/${key}/leases/${lease}`, '', 'ephemeralSequential');
  }
  await inspector.create(`${root}/both/${lock}`, '', 'ephemeralSequential');
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  onTestFinished(() => tree.close());
  const keys = await tree.read();
  expect(keys.get('s')).toMatchObject({
    ...{ kind: 'semaphore', holders: [{ mode: 'permit' }], strangers: ['foreign'] },
    strangerCount: 1,
  });
  // Calls for permits are refused here as well.
  expect(keys.get('both')).toMatchObject({ kind: 'lock', strangerCount: 3 });
});

it('shows the holders and the waiter of a shared count that has replaced a fixed number', async () => {
  const { root, join, inspector, leased } = await openSemaphorePlace();
  await (await (await join(4))[0].acquire()).release();
  const sharedCount = uniqueRoot();
  onTestFinished(() => inspector.deleteTree(sharedCount));
  const [semaphore] = await join({ sharedCount, seed: 1 });
  const held = await semaphore.acquire();
  const waiting = semaphore.acquire();
  await leased(2);
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  onTestFinished(() => tree.close());
  const [holder] = await inspector.children(`${root}/k/leases`).then(inOrder);
  expect((await tree.read()).get('k')).toMatchObject({
    ...{ kind: 'semaphore', permits: undefined, waiting: 1, total: 2 },
    holders: [{ node: holder, mode: 'permit' }],
  });
  await held.release();
  await (await waiting).release();
});

it('shows the keys even if an ACL hides the records of jobs', async () => {
  const { root, inspector } = await openPlace();
  for (const path of [root, `${root}/k`, `${root}-runs`]) await inspector.create(path);
  await inspector.restrictTo(`${root}-runs`, 'other', 'secret');
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  onTestFinished(() => tree.close());
  expect([...(await tree.read()).keys()]).toEqual(['k']);
});

it('tells of records of jobs that an ACL hides, until others that may be read replace them', async () => {
  const { root, inspector } = await openPlace();
  const [one, other] = [`${root}-runs/a:1`, `${root}-runs/b:1`];
  for (const path of [root, `${root}-runs`, one, other]) await inspector.create(path);
  for (const path of [one, other]) await inspector.restrictTo(path, 'other', 'secret');
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  onTestFinished(() => tree.close());
  for (const [prefix, path] of [
    ['a:', one],
    ['b:', other],
  ] as const) {
    expect(tree.runsRefusal(prefix)).toMatchObject({ code: 'LOCK_ACCESS_DENIED', path });
    await inspector.delete(path);
    await inspector.create(path);
    const isVisible = async (): Promise<boolean> => {
      await tree.read();
      return tree.runsRefusal(prefix) === undefined;
    };
    await waitFor(isVisible, { what: 'the news of the new record' });
  }
  expect(tree.runsRefusal()).toBeUndefined();
});

it('is refused if no server answers in time', async () => {
  const proxy = await openProxy();
  await proxy.refuse();
  const { root } = await openPlace();
  const options = { servers: proxy.connectString, root, connectTimeoutMs: 300 };
  await expect(LockTree.open(options)).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
});

/** A held lock that a tree has seen, and the breakers of earlier holders that the tree reports. */
async function openHeld() {
  const place = await openPlace();
  const { root } = place;
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  onTestFinished(() => tree.close());
  const brokenBy: unknown[] = [];
  tree.onKey(({ before, brokenBy: breakerOf }) => {
    brokenBy.push(...(before?.holders ?? []).map(breakerOf));
  });
  const proxy = await openProxy();
  const locks = await place.open({ servers: proxy.connectString });
  const operator = await place.open();
  const lock = await locks.acquire('k');
  await tree.read();
  const breakLock = async (): Promise<void> => {
    // The broken node is deleted after two round trips of its holder. Within one of its own, the
    // tree reads it.
    await proxy.delay(100);
    const [holder] = (await operator.inspect('k')).holders;
    await operator.breakLock('k', { node: holder!.node, token: holder!.fencingToken });
    await lock.release();
  };
  return { root, inspector: place.inspector, tree, brokenBy, breakLock };
}

/** Resolves once the tree has been notified of everything that happened before. */
async function untilTold(tree: LockTree): Promise<Session> {
  const session = tree.session as Session;
  await session.sync(session.connectedLease!, '/');
  return session;
}

it('reports who broke a lock, whatever strangers have written into a thousand nodes before', async () => {
  const { root, inspector, tree, brokenBy, breakLock } = await openHeld();
  // After this, the tree has to read everything again.
  await inspector.set(root, 'theirs');
  const breaker = { host: 'h', pid: 1, at: 'now' };
  const forged = JSON.stringify({ host: 'h', pid: 2, since: 'now', brokenBy: breaker });
  await inspector.create(`${root}/x`);
  for (let index = 0; index < 1_200; index++) {
    await inspector.set(await inspector.create(`${root}/x/${index}`), forged);
  }
  await inspector.deleteTree(`${root}/x`);
  await untilTold(tree);
  await tree.read();
  await breakLock();
  await tree.read();
  expect(brokenBy.at(-1)).toMatchObject({ pid: process.pid });
});

it('reports who broke a lock, even if the first read after that fails', async () => {
  const { tree, brokenBy, breakLock } = await openHeld();
  await breakLock();
  const session = await untilTold(tree);
  vi.spyOn(session, 'list').mockRejectedValueOnce(new Error('not now'));
  await expect(tree.read()).rejects.toThrow('not now');
  await tree.read();
  expect(brokenBy.at(-1)).toMatchObject({ pid: process.pid });
});

it('reports again what a read has left over, including to subscribers that have asked since the last report', async () => {
  const { root, inspector, tree } = await openHeld();
  let told = 0;
  tree.onChange(() => told++);
  const change = async (): Promise<Session> => {
    await inspector.create(`${root}/changed-${told}`);
    return untilTold(tree);
  };
  const session = await change();
  const list = session.list.bind(session);
  let toldBefore = 0;
  const lists = vi.spyOn(session, 'list').mockImplementation(async (...asked) => {
    const names = await list(...asked);
    await change();
    void tree.read();
    toldBefore = told;
    return names;
  });
  await tree.read();
  lists.mockRestore();
  expect(told).toBeGreaterThan(toldBefore);
});

/** Adds a reader to a queue, and removes it. */
async function comeAndGo(inspector: InspectClient, directory: string): Promise<void> {
  const reader = `${directory}/_c_${randomUUID()}-__READ__`;
  await inspector.delete(await inspector.create(reader, '', 'ephemeralSequential'));
}

it('shows a deadlock at a key that changes during each read, as long as its nodes exist', async () => {
  const { root, inspector, open } = await openPlace();
  const giveUp = new AbortController();
  let taken = 0;
  const takeBoth = async (locks: TestLocks, first: string, second: string): Promise<unknown> =>
    locks.withLock(first, async () => {
      taken++;
      await waitFor(() => taken === 2, { what: 'the first locks' });
      await locks.acquire(second, { signal: giveUp.signal, timeoutMs: Infinity });
    });
  const calls = Promise.allSettled([
    takeBoth(await open(), 'a', 'b'),
    takeBoth(await open(), 'b', 'a'),
  ]);
  const queueOf = async (key: string): Promise<string[]> =>
    inOrder(await inspector.childrenIfAny(`${root}/${key}`));
  const isWaiting = async (key: string): Promise<boolean> => (await queueOf(key)).length === 2;
  await waitFor(async () => (await isWaiting('a')) && isWaiting('b'), { what: 'the deadlock' });
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  onTestFinished(() => tree.close());
  const [, waiter] = await queueOf('a');
  await comeAndGo(inspector, `${root}/a`);
  const session = await untilTold(tree);
  const list = session.list.bind(session);
  let reads = 0;
  vi.spyOn(session, 'list').mockImplementation(async (...asked) => {
    const names = await list(...asked);
    if (++reads < 6) await comeAndGo(inspector, `${root}/a`);
    else await inspector.delete(`${root}/a/${waiter!}`);
    await untilTold(tree);
    return names;
  });
  expect((await tree.look()).deadlocks).toHaveLength(1);
  expect(reads).toBe(3);
  expect((await tree.look()).deadlocks).toEqual([]);
  expect(reads).toBe(6);
  giveUp.abort();
  await calls;
});

it('reports a gap, and no times that it has not seen, if the connection is lost during a read', async () => {
  const { root, directory, inspector, queued, open } = await openPlace();
  const proxy = await openProxy();
  const tree = await LockTree.open({ servers: proxy.connectString, root });
  onTestFinished(() => tree.close());
  const [ours, theirs] = [await open(), await open()];
  const lock = await ours.acquire('k');
  const waiting = theirs.acquire('k');
  await queued(2);
  await untilTold(tree);
  await tree.read();
  const changes: TreeChange[] = [];
  tree.onKey((change) => changes.push(change));
  await comeAndGo(inspector, directory);
  const session = await untilTold(tree);
  const list = session.list.bind(session);
  vi.spyOn(session, 'list').mockImplementationOnce(async (...asked) => {
    await proxy.refuse();
    await proxy.cut();
    await waitFor(() => !session.isConnected, { what: 'the loss of the connection' });
    await lock.release();
    await waiting;
    await proxy.accept();
    await waitFor(() => session.isConnected, { what: 'the connection' });
    return list(...asked);
  });
  await tree.read();
  const [change] = changes;
  expect(change).toMatchObject({ hasGap: true, after: { holders: [{ mode: 'write' }] } });
  expect(change!.after!.holders[0]).not.toHaveProperty('heldSince');
  await (await waiting).release();
});

it('refuses a logger without the methods, and is not stopped by one that throws', async () => {
  const { root } = await openPlace();
  const options = { servers: sharedServer().connectString, root };
  await expect(LockTree.open(options, {} as never)).rejects.toMatchObject({ option: 'logger' });
  const later = vi.spyOn(globalThis, 'queueMicrotask').mockReturnValue(undefined);
  onTestFinished(() => later.mockRestore());
  const log = vi.fn(() => {
    throw new Error('disk full');
  });
  const tree = await LockTree.open(options, { ...console, log });
  onTestFinished(() => tree.close());
  expect(log).toHaveBeenCalled();
  expect(await tree.read()).toEqual(new Map());
});

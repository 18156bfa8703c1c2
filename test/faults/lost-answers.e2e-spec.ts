import { expect, it, onTestFinished, vi } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { lockNodes, openInspector, openLocks, ownRoot, shortSession } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function open() {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const inspector = await openInspector();
  const locks = await openLocks({ ...shortSession, root, servers: proxy.connectString });
  // The directory exists from here on, so that the next create is that of a lock node.
  await locks.withLock('k', () => undefined);
  return { proxy, root, locks, nodes: () => lockNodes(inspector, `${root}/k`) };
}

it('acquires once when the answer to the create is lost after the server has executed it', async () => {
  const { proxy, locks, nodes } = await open();
  const loss = await proxy.loseNextReply('create');
  await using lock = await locks.acquire('k');
  await loss.happened;
  expect(lock.isHeld).toBe(true);
  expect(await nodes()).toHaveLength(1);
  expect(locks.counts).toEqual({ held: 1, waiting: 0 });
});

it('acquires once when the create itself is lost', async () => {
  const { proxy, locks, nodes } = await open();
  const loss = await proxy.loseNextRequest('create');
  await using lock = await locks.acquire('k');
  await loss.happened;
  expect(lock.isHeld).toBe(true);
  expect(await nodes()).toHaveLength(1);
});

it('removes a node whose creation was given up, when a server that had held it back creates it late', async () => {
  const { proxy, locks, nodes } = await open();
  const inspector = await openInspector();
  const create = vi.spyOn(locks.session, 'create');
  const loss = await proxy.loseNextRequest('create');
  const lock = await locks.acquire('k');
  await loss.happened;
  const [lost, made] = create.mock.calls.map(([, path]) => path);
  // Had it the same name, nobody could tell the one from the other.
  expect(made).not.toBe(lost);
  await inspector.create(`${lost!}0000009999`);
  await waitFor(async () => (await nodes()).length === 1, { what: 'the late node to be removed' });
  lock.assertHeld();
  await lock.release();
  await using next = await locks.acquire('k', { timeoutMs: 5_000 });
  expect(next.isHeld).toBe(true);
});

it('leaves no node when the wait ends while the answer to the create is missing', async () => {
  const { proxy, locks, nodes } = await open();
  const controller = new AbortController();
  await proxy.freezeTowards('client');
  const waiting = locks.acquire('k', { signal: controller.signal });
  await waitFor(async () => (await nodes()).length === 1, {
    what: 'the server to create the node',
  });
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
  await proxy.cut();
  await proxy.thaw();
  await waitFor(async () => (await nodes()).length === 0, { what: 'the node to be removed' });
});

it('releases when the answer to the delete is lost after the server has executed it', async () => {
  const { proxy, locks, nodes } = await open();
  const lock = await locks.acquire('k');
  const loss = await proxy.loseNextReply('delete');
  await lock.release();
  await loss.happened;
  await waitFor(async () => (await nodes()).length === 0, { what: 'the node to be gone' });
  await using next = await locks.acquire('k', { timeoutMs: 5_000 });
  expect(next.isHeld).toBe(true);
});

it('releases in the end when the delete itself is lost', async () => {
  const { proxy, locks, nodes } = await open();
  const lock = await locks.acquire('k');
  const loss = await proxy.loseNextRequest('delete');
  await lock.release();
  await loss.happened;
  await waitFor(async () => (await nodes()).length === 0, { what: 'the node to be gone' });
});

it('waits on when the answer to the list or to the watch is lost', async () => {
  const { proxy, root, locks, nodes } = await open();
  // Behind a holder of another process, which only a list shows.
  const others = await openLocks({ root });
  for (const operation of ['getChildren', 'getData'] as const) {
    const holder = await others.acquire('k');
    const loss = await proxy.loseNextReply(operation);
    const waiting = locks.acquire('k');
    await loss.happened;
    await waitFor(() => locks.session.isConnected, { what: 'the session to reconnect' });
    expect(holder.isHeld).toBe(true);
    await holder.release();
    const lock = await waiting;
    expect(await nodes()).toHaveLength(1);
    await lock.release();
  }
});

it('keeps its node when the answer to the look at it is lost', async () => {
  const { proxy, locks, nodes } = await open();
  const { create } = await proxy.requests();
  const loss = await proxy.loseNextReply('getData');
  const first = locks.acquire('k');
  await loss.happened;
  const lock = await first;
  expect(lock.isHeld).toBe(true);
  expect(await nodes()).toHaveLength(1);
  expect((await proxy.requests()).create).toBe(create + 1);
  await lock.release();
});

it('keeps the order of those who wait when the answers to their looks are lost', async () => {
  const { proxy, locks, nodes } = await open();
  const holder = await locks.acquire('k');
  const order: string[] = [];
  const loss = await proxy.loseNextReply('getData');
  const second = locks.acquire('k').then((lock) => (order.push('second'), lock));
  const third = locks.acquire('k').then((lock) => (order.push('third'), lock));
  await loss.happened;
  await waitFor(async () => (await nodes()).length === 3, { what: 'all to be in the queue' });

  await holder.release();
  await (await second).release();
  await (await third).release();
  expect(order).toEqual(['second', 'third']);
});

it('keeps the lock over a connection that is reset again and again', async () => {
  const { proxy, locks, nodes } = await open();
  const lock = await locks.acquire('k');
  const waiting = locks.acquire('k');
  await waitFor(async () => (await nodes()).length === 2, { what: 'the waiter to queue up' });
  const { state } = locks.session.snapshot;
  let suspensions = 0;
  locks.session.onState(({ name }) => (suspensions += name === 'suspended' ? 1 : 0));
  for (let round = 1; round <= 10; round++) {
    await proxy.cut();
    await waitFor(() => suspensions === round && locks.session.isConnected, {
      what: 'the session to be attached to a new connection',
    });
  }
  expect(locks.session.snapshot.state).toEqual(state);
  lock.assertHeld();
  expect(await nodes()).toHaveLength(2);
  await lock.release();
  await (await waiting).release();
});

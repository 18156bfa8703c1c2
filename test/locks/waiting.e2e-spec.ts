import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  LockAbortedError,
  LockServiceClosedError,
  LockTimeoutError,
  ZooKeeperUnavailableError,
} from '../../libs/zk-locks/src/lock-errors.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { lockNodes, openInspector, openLocks, ownRoot, shortSession } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function openQueue() {
  const root = ownRoot();
  const inspector = await openInspector();
  const locks = await openLocks({ root });
  return {
    locks,
    inspector,
    directory: `${root}/k`,
    nodes: () => lockNodes(inspector, `${root}/k`),
  };
}

const sequenceOf = (node: string): number => Number(/\d+$/.exec(node)?.[0]);

it('gives up at the timeout and leaves no node', async () => {
  const { locks, nodes } = await openQueue();
  await using _holder = await locks.acquire('k');
  const startedAt = performance.now();
  const refused = await locks.acquire('k', { timeoutMs: 1_000 }).catch((error: unknown) => error);
  const waited = performance.now() - startedAt;

  expect(refused).toBeInstanceOf(LockTimeoutError);
  expect(refused).toMatchObject({
    code: 'LOCK_TIMEOUT',
    key: 'k',
    mode: 'write',
    timeoutMs: 1_000,
  });
  expect(waited).toBeGreaterThan(995);
  expect(waited).toBeLessThan(1_300);
  await waitFor(async () => (await nodes()).length === 1, { what: 'only the holder to be left' });
});

it('does not start the timeout anew when it is woken up', async () => {
  const { locks, directory, nodes } = await openQueue();
  const others = await openLocks({ root: dirname(directory) });
  await using _holder = await others.acquire('k');
  const leaving = [new AbortController(), new AbortController()];
  for (const [index, { signal }] of leaving.entries()) {
    others.acquire('k', { signal }).catch(() => undefined);
    await waitFor(async () => (await nodes()).length === index + 2, { what: 'the next in line' });
  }
  const ahead = (await nodes()).toSorted((a, b) => sequenceOf(b) - sequenceOf(a));
  const reads = vi.spyOn(locks.session, 'get');
  const watched = (): string[] =>
    reads.mock.calls
      .filter(([, path, options]) => options?.watch && ahead.includes(basename(path)))
      .map(([, path]) => basename(path));
  const startedAt = performance.now();
  const waiting = locks.acquire('k', { timeoutMs: 2_000 }).catch((error: unknown) => error);
  await delay(700);
  // Whoever is just before it leaves, and then the next one.
  for (const [index, controller] of leaving.toReversed().entries()) {
    await waitFor(() => watched().length > index, { what: 'a look at the one before it' });
    controller.abort();
  }

  expect(await waiting).toBeInstanceOf(LockTimeoutError);
  // A second timeout would end 700 ms later.
  expect(performance.now() - startedAt).toBeLessThan(2_650);
  expect(watched()).toEqual(ahead);
});

it('stops waiting when the caller aborts, and leaves no node', async () => {
  const { locks, nodes } = await openQueue();
  await using _holder = await locks.acquire('k');
  const controller = new AbortController();
  const waiting = locks.acquire('k', { signal: controller.signal });
  await waitFor(async () => (await nodes()).length === 2, { what: 'the waiter to queue up' });
  controller.abort(new Error('the client went away'));

  await expect(waiting).rejects.toThrow(LockAbortedError);
  await expect(waiting).rejects.toMatchObject({
    code: 'LOCK_ABORTED',
    cause: { message: 'the client went away' },
  });
  await waitFor(async () => (await nodes()).length === 1, { what: 'only the holder to be left' });
});

it('does not even begin with a signal that has aborted', async () => {
  const { locks, nodes } = await openQueue();
  const creates = vi.spyOn(locks.session, 'create');
  await expect(locks.acquire('k', { signal: AbortSignal.abort() })).rejects.toThrow(
    LockAbortedError,
  );
  expect(creates).not.toHaveBeenCalled();
  expect(await nodes()).toEqual([]);
});

it('tries once with a timeout of zero, and writes nothing where the lock is taken', async () => {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const locks = await openLocks({ root });
  const trying = await openLocks({ root, servers: proxy.connectString });
  const holder = await locks.acquire('k');

  await expect(trying.acquire('k', { timeoutMs: 0 })).rejects.toThrow(LockTimeoutError);
  expect(await trying.tryAcquire('k')).toBeNull();
  expect(await trying.tryAcquire('k', { mode: 'read' })).toBeNull();
  expect((await proxy.requests()).create).toBe(0);

  await holder.release();
  await using lock = await trying.tryAcquire('k');
  expect(lock?.isHeld).toBe(true);
});

it('gives a lock that is free to exactly one of many that try at once', async () => {
  const { locks } = await openQueue();
  const tries = await Promise.all(Array.from({ length: 20 }, () => locks.tryAcquire('k')));
  const granted = tries.filter((lock) => lock !== null);
  expect(granted).toHaveLength(1);
  for (const lock of granted) await lock.release();
});

it('holds to the timeout while ZooKeeper cannot be reached, and says so', async () => {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const locks = await openLocks({ ...shortSession, root, servers: proxy.connectString });
  await proxy.refuse();
  await proxy.cut();
  await waitFor(() => !locks.session.isConnected, { what: 'the session to be suspended' });

  for (const timeoutMs of [0, 200]) {
    const startedAt = performance.now();
    const refused = await locks.acquire('k', { timeoutMs }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ZooKeeperUnavailableError);
    expect(String(refused)).toContain(proxy.connectString);
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs + 250);
  }
  await proxy.accept();
});

it('holds to the timeout while ZooKeeper accepts everything and answers nothing', async () => {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const locks = await openLocks({ ...shortSession, root, servers: proxy.connectString });
  await proxy.freeze();
  const startedAt = performance.now();
  await expect(locks.acquire('k', { timeoutMs: 250 })).rejects.toThrow(ZooKeeperUnavailableError);
  expect(performance.now() - startedAt).toBeLessThan(500);
  await proxy.thaw();
});

it('rejects those who wait when it is closed, and everybody after', async () => {
  const { locks, nodes } = await openQueue();
  await using _held = await locks.acquire('k');
  const waiting = locks.acquire('k');
  await waitFor(async () => (await nodes()).length === 2, { what: 'the waiter to queue up' });
  const closing = locks.close();
  await expect(waiting).rejects.toThrow(LockServiceClosedError);
  await closing;
  await expect(locks.acquire('k')).rejects.toThrow(LockServiceClosedError);
  expect(await nodes()).toEqual([]);
});

it('queues up anew at once when an operator deletes its node while it waits', async () => {
  const { locks, inspector, directory, nodes } = await openQueue();
  const holder = await locks.acquire('k');
  const [holderNode] = await nodes();
  const waiting = locks.acquire('k');
  const waiterNode = (): Promise<string | undefined> =>
    nodes().then((names) => names.find((name) => name !== holderNode));
  const deleted = await waitFor(waiterNode, { what: 'the waiter to queue up' });
  await inspector.delete(`${directory}/${deleted}`);
  const anew = await waitFor(waiterNode, { what: 'the waiter to queue up anew' });
  expect(anew).not.toBe(deleted);
  expect(holder.isHeld).toBe(true);
  await holder.release();

  await using lock = await waiting;
  expect(lock.isHeld).toBe(true);
  expect(await nodes()).toEqual([anew]);
});

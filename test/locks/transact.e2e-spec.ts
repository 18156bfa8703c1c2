import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import {
  LockLostError,
  LockReleasedError,
  LockTransactionUnknownError,
} from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import type { TransactionCreateMode } from '../../libs/zk-client/src/znodes/znode.js';
import { ZkLockConfigError } from '../../libs/zk-client/src/zk-lock-error.js';
import { type LocksOptions, OperationRefusedError } from 'zk-locks';
import { letNodesBeHidden } from '../support/locks.js';
import { ownNode } from '../support/own-node.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** Locks behind a proxy, and a node outside their root that contains `old`. */
async function open(options: Partial<LocksOptions> = {}) {
  const place = await openBehindProxy({ client: 'wire', ...options });
  const data = await ownNode();
  const { inspector } = place;
  await inspector.set(data, 'old');
  const read = async (): Promise<string> => (await inspector.get(data)).data.toString();
  const write = (lock: Pick<Lock, 'transact'>) => lock.transact((tx) => tx.set(data, 'new'));
  return { ...place, data, read, write };
}

it('writes everything at once while the lock is held, and returns the paths', async () => {
  const { locks, proxy, inspector, data, read } = await open();
  await using lock = await locks.acquire('k');
  await proxy.resetCounters();
  const options = { mode: 'persistent-sequential' } as const;
  const paths = await lock.transact((tx) =>
    tx
      .check(data, { version: 1 })
      .set(data, 'new', { version: 1 })
      .create(`${data}/o-`, Buffer.from('order'), options),
  );
  expect(paths).toEqual([data, data, `${data}/o-0000000000`]);
  expect(await read()).toBe('new');
  expect((await inspector.get(`${data}/o-0000000000`)).data.toString()).toBe('order');
  expect(await proxy.requests()).toMatchObject({ multi: 1, check: 2, getChildren: 0 });
  await expect(lock.transact(() => undefined)).resolves.toEqual([]);
});

it('writes nothing if the node of the lock is gone, even if its holder does not know yet', async () => {
  const { locks, proxy, remove, read, write, queued } = await open();
  const lock = await locks.acquire('k');
  await queued(1);
  await proxy.freezeTowards('client');
  await remove();
  const told = expect(write(lock)).rejects.toMatchObject({ reason: 'node-deleted' });
  await proxy.thaw();
  await told;
  expect(await read()).toBe('old');
});

it('writes nothing if an ACL hides the node of the lock, and says so', async () => {
  const { locks, inspector, directory, queue, read, write } = await open();
  letNodesBeHidden(locks);
  const lock = await locks.acquire('k');
  await inspector.restrictTo(`${directory}/${(await queue())[0]!}`, 'stranger', 'secret');
  await expect(write(lock)).rejects.toMatchObject({ reason: 'node-unreadable' });
  expect(await read()).toBe('old');
});

it('writes nothing after the release', async () => {
  const { locks, read, write } = await open();
  const lock = await locks.acquire('k');
  await lock.release();
  await expect(write(lock)).rejects.toThrow(LockReleasedError);
  expect(await read()).toBe('old');
});

it('writes nothing if the lock is released before the transaction is sent, and passed to the next call under its node', async () => {
  const { locks, read, write, inspector, data } = await open({ cohort: { keepMs: 60_000 } });
  const isWritten: boolean[] = [];
  for (let microtasks = 0; microtasks < 20; microtasks++) {
    await inspector.set(data, 'old');
    const lock = await locks.acquire('k');
    const writing = write(lock).then(
      () => true,
      () => false,
    );
    for (let passed = 0; passed < microtasks; passed++) await Promise.resolve();
    void lock.release();
    await using next = await locks.acquire('k');
    isWritten.push(await writing);
    expect(await read()).toBe(isWritten.at(-1) ? 'new' : 'old');
    const isSameNode = next.fencingToken >> 10n === lock.fencingToken >> 10n;
    expect([isWritten.at(-1), isSameNode]).not.toEqual([true, true]);
  }
  // Both outcomes have occurred.
  expect(new Set(isWritten)).toEqual(new Set([true, false]));
});

it('names the write that is refused, and keeps the lock', async () => {
  const { locks, data, read, write } = await open();
  await using lock = await locks.acquire('k');
  const done = lock.transact((tx) => tx.set(data, 'new').delete(data, { version: 7 }));
  await expect(done).rejects.toThrow(OperationRefusedError);
  await expect(done).rejects.toMatchObject({ code: 'ZK_BAD_VERSION', path: data, index: 1 });
  expect(await read()).toBe('old');
  expect(lock.isHeld).toBe(true);
  await write(lock);
  expect(await read()).toBe('new');
});

it.each([
  ['a lock', {}],
  ['a cohort', { cohort: {} }],
  ['a kept lock', { cohort: { keepMs: 60_000 } }],
])(
  'reports an unknown result after a lost answer, and the node of %s serves no other call',
  async (_, options) => {
    const { locks, proxy, queue, queued, read, write } = await open(options);
    const lock = await locks.acquire('k');
    const [node] = await queue();
    const next = locks.acquire('k', { reentrant: false });
    if (!('cohort' in options)) await queued(2);
    await proxy.resetCounters();
    const loss = await proxy.loseNextReply('multi');
    const told = expect(write(lock)).rejects.toMatchObject({
      code: LockTransactionUnknownError.code,
      cause: { code: 'ZK_CONNECTION_LOSS' },
    });
    await loss.happened;
    await told;
    expect(await read()).toBe('new');
    expect(lock.isHeld).toBe(true);
    await waitFor(() => locks.session.isConnected, { what: 'the connection' });
    const listed = async () => 'cohort' in options || (await proxy.requests()).getChildren > 0;
    await waitFor(listed, { what: 'the list that lets grants be made on sending' });
    await proxy.freezeTowards('server');
    const released = lock.release();
    const first = await Promise.race([next, nextTurn('not granted')]);
    expect(first).toBe('not granted');
    await proxy.thaw();
    await released;
    const after = await next;
    expect(await queue()).not.toContain(node);
    expect(after.fencingToken >> 10n).toBeGreaterThan(lock.fencingToken >> 10n);
    await after.release();
  },
);

it.each(['upgraded', 'downgraded'] as const)(
  'checks the nodes of a lock that was %s',
  async (kind) => {
    const { locks, proxy, remove, queue, read, write } = await open();
    const lock =
      kind === 'upgraded'
        ? await (await locks.acquireUpgradable('k')).upgrade()
        : await locks.withLock('k', () => locks.acquire('k', { mode: 'read' }));
    await write(lock);
    expect(await read()).toBe('new');
    await proxy.freezeTowards('client');
    for (const node of (await queue()).slice(-1)) await remove(node);
    const told = expect(write(lock)).rejects.toThrow(LockLostError);
    await proxy.thaw();
    await told;
  },
);

it('checks the nodes of several locks', async () => {
  const { locks, proxy, root, inspector, read, write } = await open();
  const both = await locks.acquireAll(['a', { key: 'b', mode: 'read' }]);
  await write(both);
  await locks.withLocks(['c', 'd'], write);
  expect(await read()).toBe('new');
  const [node = ''] = await inspector.children(`${root}/b`);
  await proxy.freezeTowards('client');
  await inspector.delete(`${root}/b/${node}`);
  const told = expect(write(both)).rejects.toMatchObject({ code: LockLostError.code, key: 'b' });
  await proxy.thaw();
  await told;
});

it('is refused, with nothing written, if it is malformed or the client cannot do it', async () => {
  const { locks, data, root, read, open: openMore } = await open();
  await using lock = await locks.acquire('k');
  const mode = 'ephemeral' as TransactionCreateMode;
  const refused = [
    lock.transact((tx) => tx.set(data, 'new').set(`${root}/k`, 'x')),
    lock.transact((tx) => tx.set(data, 'new').create('/zookeeper/x')),
    lock.transact((tx) => tx.set(data, 'new').delete(`${root}-runs/k`)),
    lock.transact((tx) => tx.set(data, 'new').create(`${data}/e`, 'x', { mode })),
    lock.transact((tx) => tx.set(data, 7 as never)),
    lock.transact((tx) => tx.set(data, 'new', { version: -1 })),
    lock.transact((tx) => tx.set('relative', 'new')),
    lock.transact((tx) => tx.set(data, Buffer.alloc(1_000_000))),
    lock.transact(async (tx) => {
      await Promise.resolve();
      tx.set(data, 'new');
    }),
    // Calling it would run nothing.
    lock.transact(function* (tx) {
      yield tx.set(data, 'new');
    }),
  ];
  await Promise.all(refused.map((one) => expect(one).rejects.toThrow(ZkLockConfigError)));
  const native = await openMore({ client: 'native' });
  await using other = await native.acquire('n');
  const done = other.transact((tx) => tx.set(data, 'new'));
  await expect(done).rejects.toThrow(/`client` is native/);
  expect(other.isHeld).toBe(true);
  expect(await read()).toBe('old');
  onTestFinished(() => other.release());
});

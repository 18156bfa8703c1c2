import { expect, it } from 'vitest';
import type { Transaction } from 'zk-locks';
import {
  LockAbortedError,
  LockLostError,
  NoCurrentLockError,
} from '../../libs/zk-locks/src/lock/lock-errors.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from '../nest/support/gate.js';
import { lossOf, refusedWithHolders } from '../support/locks.js';
import { ownNode } from '../support/own-node.js';
import { waitFor } from '../support/wait-for.js';
import { openTwo, openBehindProxy } from '../support/place.js';

async function open() {
  const { root, inspector, locks: ours, others: theirs } = await openTwo();
  /** The number of nodes of all keys. */
  const nodes = async (): Promise<number> => {
    const lists = ['a', 'b', 'c'].map((key) => inspector.childrenIfAny(`${root}/${key}`));
    return (await Promise.all(lists)).flat().length;
  };
  const left = (count: number): Promise<unknown> =>
    waitFor(async () => (await nodes()) === count, { what: `${count} nodes` });
  /** Deletes a key's first node, as an operator would. */
  const remove = async (key: string): Promise<void> => {
    const [name] = await inspector.children(`${root}/${key}`);
    await inspector.delete(`${root}/${key}/${name!}`);
  };
  return { inspector, ours, theirs, nodes, left, remove };
}

it('holds all of the keys, each once and in the strongest mode asked for', async () => {
  const { ours, theirs, nodes } = await open();
  const targets = ['b', { key: 'a', mode: 'read' }, { key: 'b', mode: 'read' }, 'b'] as const;
  await using multi = await ours.acquireAll(targets);

  expect(multi.locks.map(({ key, mode }) => `${key}:${mode}`)).toEqual(['a:read', 'b:write']);
  expect(multi.isHeld).toBe(true);
  multi.assertHeld();
  expect(await nodes()).toBe(2);
  expect(ours.counts).toEqual({ held: 2, waiting: 0 });
  await using reader = await theirs.tryAcquire('a', { mode: 'read' });
  expect(reader).not.toBeNull();
  expect(await theirs.tryAcquire('b', { mode: 'read' })).toBeNull();
  // The call's mode applies to keys without one.
  await using others = await ours.acquireAll(['c', { key: 'd', mode: 'write' }], { mode: 'read' });
  expect(others.locks.map(({ mode }) => mode)).toEqual(['read', 'write']);
});

it('holds none of them if one is not free in time, and says which', async () => {
  const { ours, theirs, left } = await open();
  await using _b = await theirs.acquire('b');
  const refused = await refusedWithHolders(() =>
    ours.acquireAll(['c', 'b', 'a'], { timeoutMs: 2_000 }),
  );
  expect(refused).toMatchObject({ key: 'b', timeoutMs: 2_000 });
  await left(1);
  expect(ours.counts).toEqual({ held: 0, waiting: 0 });
});

it('reports the loss of any of them', async () => {
  const { ours, remove } = await open();
  await using multi = await ours.acquireAll(['a', 'b']);
  await remove('b');
  const loss = await lossOf(multi);
  expect(loss).toBeInstanceOf(LockLostError);
  expect(loss).toMatchObject({ key: 'b', reason: 'node-deleted' });
  expect(multi.isHeld).toBe(false);
  expect(() => multi.assertHeld()).toThrow(LockLostError);
});

it('runs work under all of them, lets nested calls join, and releases them', async () => {
  const { ours, nodes } = await open();
  const result = await ours.withLocks(['b', 'a'], {}, async (multi) => {
    const [a] = multi.locks;
    const nested = await ours.withLock('a', (lock) => lock.fencingToken);
    expect(nested).toBe(a!.fencingToken);
    expect(ours.currentLock('a')).toMatchObject({ key: 'a', fencingToken: a!.fencingToken });
    expect(ours.currentLock('b').key).toBe('b');
    expect(() => ours.currentLock('c')).toThrow(NoCurrentLockError);
    expect(await nodes()).toBe(2);
    return 'done';
  });
  expect(result).toBe('done');
  expect(await nodes()).toBe(0);
  await expect(ours.withLocks(['a'], {}, () => Promise.reject(new Error('own')))).rejects.toThrow(
    'own',
  );
  expect(await nodes()).toBe(0);
});

it('shows the innermost of many held locks to those who look for circles', async () => {
  const { ours, theirs } = await open();
  const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
  const last = await theirs.acquire('k9');
  const taking = ours.acquireAll(keys);
  const holds = async (): Promise<readonly string[] | undefined> =>
    (await theirs.inspect('k9')).waiters[0]?.holder?.holds;
  await waitFor(async () => (await holds())?.[0]?.startsWith('k8/'), { what: 'k8 first' });
  await last.release();
  await (await taking).release();
});

it('tells nested calls for one key about the loss of another', async () => {
  const { ours, remove } = await open();
  const working = ours.withLocks(['a', 'b'], () =>
    ours.withLock('a', () =>
      ours.withLock('a', async (nested) => {
        await remove('b');
        const loss = await lossOf(nested);
        expect(nested.isHeld).toBe(false);
        expect(() => nested.assertHeld()).toThrow(LockLostError);
        await expect(nested.transact((tx) => tx.set('/app', 'x'))).rejects.toThrow(LockLostError);
        throw loss;
      }),
    ),
  );
  await expect(working).rejects.toMatchObject({ code: 'LOCK_LOST', key: 'b' });
});

it('tells a call begun by work that outlives its nested section about the loss of another key', async () => {
  const { ours, remove } = await open();
  const loss = { code: 'LOCK_LOST', key: 'b' };
  const outlived = new Gate();
  const working = ours.withLocks(['a', 'b'], async () => {
    let late: Promise<void> | undefined;
    await ours.withLock('a', () => {
      late = outlived.pass().then(() =>
        ours.withLock('a', async (nested) => {
          await remove('b');
          expect(await lossOf(nested)).toMatchObject(loss);
          expect(nested.isHeld).toBe(false);
        }),
      );
    });
    outlived.open();
    await expect(late).rejects.toMatchObject(loss);
  });
  await expect(working).rejects.toMatchObject(loss);
});

it('tells a call that outlives the nested section around it about the loss of another key', async () => {
  const { ours, remove } = await open();
  const loss = { code: 'LOCK_LOST', key: 'b' };
  const outlived = new Gate();
  const working = ours.withLocks(['a', 'b'], async () => {
    let late: Promise<void> | undefined;
    await ours.withLocks(['a', 'c'], async () => {
      const begun = new Gate();
      late = ours.withLock('a', async (nested) => {
        // It is linked while the nested section is held.
        expect(nested.signal.aborted).toBe(false);
        begun.open();
        await outlived.pass();
        await remove('b');
        expect(await lossOf(nested)).toMatchObject(loss);
        expect(nested.isHeld).toBe(false);
      });
      await begun.pass();
    });
    outlived.open();
    await expect(late).rejects.toMatchObject(loss);
  });
  await expect(working).rejects.toMatchObject(loss);
});

it('rejects a nested call whose work succeeds if another lock of its section was lost', async () => {
  const { ours, remove } = await open();
  const loss = { code: 'LOCK_LOST', key: 'b' };
  const working = ours.withLocks(['a', 'b'], async () => {
    const nested = ours.withLock('a', async (lock) => {
      await remove('b');
      await lossOf(lock);
    });
    await expect(nested).rejects.toMatchObject(loss);
  });
  await expect(working).rejects.toMatchObject(loss);
});

it('writes nothing under locks taken inside it once one of its own is lost', async () => {
  const { ours, inspector, remove } = await open();
  const data = await ownNode();
  const write = (tx: Transaction): unknown => tx.set(data, 'too late');
  const working = ours.withLocks(['a', 'b'], async () => {
    await using multi = await ours.acquireAll(['a', 'c']);
    await ours.withLocks(['a', 'd'], async () => {
      await remove('b');
      await lossOf(multi);
      expect(() => multi.assertHeld()).toThrow(LockLostError);
      await expect(multi.transact(write)).rejects.toMatchObject({ code: 'LOCK_LOST', key: 'b' });
      const current = ours.currentLock();
      await expect(current.transact(write)).rejects.toMatchObject({ code: 'LOCK_LOST', key: 'b' });
    });
  });
  await expect(working).rejects.toMatchObject({ code: 'LOCK_LOST', key: 'b' });
  expect((await inspector.get(data)).stat.version).toBe(0);
});

it('leaves a nested call its lock if its section has released another one', async () => {
  const { ours } = await open();
  await ours.withLocks(['a', 'b'], async ({ locks: [, b] }) => {
    await b!.release();
    await ours.withLock('a', (nested) => {
      nested.assertHeld();
      expect(nested.isHeld).toBe(true);
    });
  });
});

it('tells nested calls for one key that another one is asked back', async () => {
  const { ours, theirs } = await open();
  await ours.withLocks(['a', 'b'], () =>
    ours.withLock('a', async (nested) => {
      expect(await theirs.revoke('b')).toBe(1);
      await waitFor(() => nested.revoked.aborted, { what: 'the request' });
      nested.assertHeld();
    }),
  );
});

it('tells asLeader() inside it about the loss of another key', async () => {
  const { ours, remove } = await open();
  const working = ours.withLocks(['a', 'b'], async () => {
    await using election = ours.election('a');
    await election.asLeader(async (lock) => {
      await remove('b');
      throw await lossOf(lock);
    });
  });
  await expect(working).rejects.toMatchObject({ code: 'LOCK_LOST', key: 'b' });
});

it('joins locks held around it, and refuses to upgrade', async () => {
  const { ours } = await open();
  await ours.withLock('a', { mode: 'read' }, async () => {
    await using multi = await ours.acquireAll(['a', 'b'], { mode: 'read' });
    expect(multi.locks).toHaveLength(2);
    await expect(ours.acquireAll(['b', 'a'])).rejects.toMatchObject({ code: 'LOCK_UPGRADE' });
  });
  expect(ours.counts.held).toBe(0);
});

it('stops waiting for locks if one around it cannot be joined, or is lost', async () => {
  const { ours, theirs, nodes, left, remove } = await open();
  await using _a = await theirs.acquire('a');
  const patient = { timeoutMs: Infinity };
  await ours.withLock('b', { mode: 'read' }, async () => {
    await expect(ours.acquireAll(['a', 'b'], patient)).rejects.toMatchObject({
      code: 'LOCK_UPGRADE',
    });
  });
  expect(await nodes()).toBe(1);
  const work = ours.withLock('b', async () => {
    const refused = ours.acquireAll(['a', 'b'], patient).catch((error: unknown) => error);
    await left(3);
    await remove('b');
    expect(await refused).toMatchObject({ code: 'LOCK_LOST', key: 'b' });
  });
  await expect(work).rejects.toThrow(LockLostError);
  await left(1);
});

it('does not wait for ZooKeeper to give up', async () => {
  const { proxy, locks: ours, others: theirs } = await openBehindProxy();
  await using _b = await theirs.acquire('b');
  const controller = new AbortController();
  const { signal } = controller;
  let refused: unknown;
  const waiting = ours.acquireAll(['a', 'b'], { signal }).catch((error: unknown) => {
    refused = error;
  });
  const single = ours.acquire('b', { signal });
  await waitFor(() => ours.counts.held === 1 && ours.counts.waiting === 2, { what: 'the waits' });
  await proxy.freeze();
  controller.abort();
  await expect(single).rejects.toThrow(LockAbortedError);
  await nextTurn();
  // Together with the call that had nothing to release.
  expect(refused).toBeInstanceOf(LockAbortedError);
  await waiting;
  expect(ours.counts).toEqual({ held: 0, waiting: 0 });
  await proxy.thaw();
});

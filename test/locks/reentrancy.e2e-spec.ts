import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { currentLock } from '../../libs/zk-locks/src/grant/async-scope.js';
import { NoCurrentLockError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { openTwo } from '../support/place.js';

it('joins the lock around it, with one node and one token, as reader and as writer', async () => {
  const { locks, queue } = await openTwo();
  await locks.withLock('k', async (outer) => {
    await locks.withLock('k', async (inner) => {
      expect(inner.fencingToken).toBe(outer.fencingToken);
      await locks.withLock('k', { mode: 'read' }, (reader) => {
        expect(reader).toMatchObject({ mode: 'read', fencingToken: outer.fencingToken });
        expect(currentLock()).toBe(reader);
      });
      expect(currentLock()).toBe(inner);
    });
    expect(outer.isHeld).toBe(true);
    expect(await queue()).toHaveLength(1);
    await using handle = await locks.acquire('k', { timeoutMs: 0 });
    expect(handle.fencingToken).toBe(outer.fencingToken);
  });
  expect(currentLock).toThrow(NoCurrentLockError);
  expect(await queue()).toEqual([]);
});

it('keeps the lock until the last of those that share it releases it', async () => {
  const { locks, others, queue } = await openTwo();
  const inner = await locks.withLock('k', () => locks.acquire('k'));
  expect(await others.tryAcquire('k')).toBeNull();
  await inner.release();
  let finish!: () => void;
  let nested: Promise<void> | undefined;
  await locks.withLock('k', () => {
    nested = locks.withLock('k', () => new Promise<void>((resolve) => (finish = resolve)));
  });
  expect(await queue()).toHaveLength(1);
  finish();
  await nested;
  expect(await queue()).toEqual([]);
});

it('does not join a lock that was released', async () => {
  const { locks } = await openTwo();
  let late: Promise<Lock> | undefined;
  let resume!: () => void;
  const token = await locks.withLock('k', ({ fencingToken }) => {
    late = new Promise<void>((resolve) => (resume = resolve)).then(() => locks.acquire('k'));
    return fencingToken;
  });
  resume();
  await using lock = await late;
  expect(lock?.fencingToken).toBeGreaterThan(token);
});

it('finds a lock by its key only while its section lasts', async () => {
  const { locks } = await openTwo();
  let late: Promise<Lock> | undefined;
  let resume!: () => void;
  const findLate = (): void => {
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    late = resumed.then(() => locks.currentLock('k'));
  };
  await locks.withLock('k', async (outer) => {
    await locks.withLock('k', findLate);
    resume();
    expect(await late).toBe(outer);
  });
  await using _shared = await locks.withLock('k', () => {
    findLate();
    return locks.acquire('k');
  });
  resume();
  await expect(late).rejects.toThrow(NoCurrentLockError);
});

it('queues up like any other call with `reentrant: false`', async () => {
  const { locks, queued } = await openTwo();
  const order: string[] = [];
  let background: Promise<void> | undefined;
  await locks.withLock('k', async () => {
    background = locks.withLock('k', { reentrant: false }, async (own) => {
      order.push('background');
      // A nested call joins it, and not the lock around it.
      await using nested = await locks.acquire('k');
      expect(nested.fencingToken).toBe(own.fencingToken);
    });
    await queued(2);
    await nextTurn();
    order.push('section');
  });
  await background;
  expect(order).toEqual(['section', 'background']);
});

it('does not join for a call whose signal has already aborted', async () => {
  const { locks } = await openTwo();
  const given = { signal: AbortSignal.abort(new Error('left')) };
  await locks.withLock('k', async () => {
    const outcomes = await Promise.allSettled([
      locks.acquire('k', given),
      locks.withLock('k', given, () => 'never'),
      locks.acquireAll(['other', 'k'], given),
    ]);
    for (const { status, reason } of outcomes as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toMatchObject({ code: 'LOCK_ABORTED', cause: { message: 'left' } });
    }
  });
});

it('refuses at once every writer inside a reader, also several together', async () => {
  const { locks, queue } = await openTwo();
  await locks.withLock('k', { mode: 'read' }, async (reader) => {
    const outcomes = await Promise.allSettled([
      locks.acquire('k'),
      locks.withLock('k', () => 'never'),
      locks.tryAcquire('k'),
      locks.acquireAll(['other', 'k']),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_UPGRADE' } });
    }
    expect(reader.isHeld).toBe(true);
  });
  expect(await queue()).toEqual([]);
});

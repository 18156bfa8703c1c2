import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openLocks, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

it('joins the lock around it, once, with one token, and lets go of it with the last', async () => {
  const root = ownRoot();
  const [locks, others] = [await openLocks({ root }), await openLocks({ root })];
  const inner = await locks.withLock('k', async (outer) => {
    const lock = await locks.acquire('k');
    expect(lock.fencingToken).toBe(outer.fencingToken);
    expect((await others.inspect('k')).total).toBe(1);
    return lock;
  });
  expect(await others.tryAcquire('k')).toBeNull();
  await inner.release();
  await (await others.acquire('k')).release();
});

it('queues up like anybody else with `reentrant: false`', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const order: string[] = [];
  let background: Promise<void> | undefined;
  await locks.withLock('k', async () => {
    background = locks.withLock('k', { reentrant: false }, async (own) => {
      order.push('background');
      // What is nested in it joins it, not the lock that was around it.
      await using nested = await locks.acquire('k');
      expect(nested.fencingToken).toBe(own.fencingToken);
    });
    await waitFor(async () => (await locks.inspect('k')).total === 2, { what: 'the waiter' });
    await nextTurn();
    order.push('section');
  });
  await background;
  expect(order).toEqual(['section', 'background']);
});

it('waits for itself with `reentrant: false` only as long as it may', async () => {
  const locks = await openLocks({ root: ownRoot() });
  await locks.withLock('k', async () => {
    expect(await locks.tryAcquire('k', { reentrant: false })).toBeNull();
    const waiting = locks.acquire('k', { reentrant: false, timeoutMs: 1_000 });
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  });
});

it('refuses at once every writer inside a reader, also several together', async () => {
  const locks = await openLocks({ root: ownRoot() });
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
  expect((await locks.inspect('k')).total).toBe(0);
});

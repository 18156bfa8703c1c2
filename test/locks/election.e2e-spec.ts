import { expect, it } from 'vitest';
import { ElectionClosedError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { ZkClosedError } from '../../libs/zk-client/src/zk-lock-error.js';
import { openPlace } from '../support/place.js';

it('has one leader, and is the same object for all callers while it is open', async () => {
  const place = await openPlace();
  const locks = await place.open();
  const election = locks.election('k', { label: 'timetable' });
  expect(locks.election('k', { label: 'another' })).toBe(election);
  const term = await election.whenLeader();
  const follower = (await place.open()).election('k');
  await place.queued(2);

  expect([election.isLeader, follower.isLeader]).toEqual([true, false]);
  expect(election.term).toBe(term);
  expect(follower.term).toBeUndefined();
  expect(term).toMatchObject({ key: 'k', isHeld: true });
  term.assertHeld();
  expect(locks.counts).toEqual({ held: 1, waiting: 0 });
  const { leader, waiters, total } = await follower.inspect({ linearizable: true });
  expect(leader).toMatchObject({
    fencingToken: term.fencingToken,
    holder: { label: 'timetable', pid: process.pid },
  });
  expect([waiters.length, total]).toEqual([1, 2]);
});

it('is the write lock of its key', async () => {
  const place = await openPlace();
  const locks = await place.open();
  const election = locks.election('k');
  await election.whenLeader();
  expect(await locks.tryAcquire('k')).toBeNull();
  expect(await locks.tryAcquire('k', { mode: 'read' })).toBeNull();
  const waiting = locks.acquire('k', { mode: 'read' });
  await place.queued(2);
  await election.resign();
  await using reader = await waiting;
  await place.queued(2);
  expect(election.isLeader).toBe(false);
  expect((await election.inspect()).leader).toBeUndefined();
  await reader.release();
  await election.whenLeader();
});

it('calls its listeners outside of the section that ends a term', async () => {
  const place = await openPlace();
  const locks = await place.open();
  const election = locks.election('leader');
  const term = await election.whenLeader();
  let configuring: Promise<number> | undefined;
  let inside = 0;
  election.onTerm((term) => {
    if (!term) configuring ??= locks.withLock('k', () => inside);
  });
  await locks.withLock('k', async () => {
    inside++;
    await election.resign();
    await place.queued(2);
    inside--;
  });
  expect(await configuring).toBe(0);
  const ended = /^The term as the leader of "leader" has ended, /;
  expect((term.signal.reason as Error).message).toMatch(ended);
  expect(() => term.assertHeld()).toThrow(ended);
});

it('leaves nothing behind when it is closed, whether leading or waiting, and can be joined again', async () => {
  const place = await openPlace();
  const locks = await place.open();
  const leader = locks.election('k');
  const { signal } = await leader.whenLeader();
  const waiting = (await place.open()).election('k');
  await place.queued(2);
  const waits = expect(waiting.whenLeader()).rejects.toThrow(ElectionClosedError);
  await waiting.close();
  await waits;
  await place.queued(1);
  {
    await using closing = leader;
    expect(closing.isLeader).toBe(true);
  }
  expect(signal.aborted).toBe(true);
  expect(await place.queue()).toEqual([]);
  expect([leader.isLeader, leader.term]).toEqual([false, undefined]);
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
  const anew = locks.election('k');
  expect(anew).not.toBe(leader);
  await anew.whenLeader();
  await leader.close();
  expect(anew.isLeader).toBe(true);
  expect(locks.election('k')).toBe(anew);
});

it('ends with its service: leaders hand over at once, unless work is running', async () => {
  const place = await openPlace();
  const locks = await place.open();
  const [busy, idle] = [locks.election('k'), locks.election('idle')];
  const [{ signal }] = await Promise.all([busy.whenLeader(), idle.whenLeader()]);
  const others = await place.open();
  const [afterBusy, afterIdle] = [others.election('k'), others.election('idle')];
  await place.queued(2);
  let finish!: () => void;
  const work = busy.asLeader(async (lock) => {
    await new Promise<void>((resolve) => (finish = resolve));
    lock.assertHeld();
  });
  const closed = locks.close({ graceMs: 20_000 });
  expect(signal.aborted).toBe(true);
  await afterIdle.whenLeader();
  expect(afterBusy.isLeader).toBe(false);
  finish();
  await work;
  await Promise.all([afterBusy.whenLeader(), closed]);
  expect(() => locks.election('k')).toThrow(ZkClosedError);
  await expect(busy.asLeader(() => 1)).rejects.toThrow(ZkClosedError);
});

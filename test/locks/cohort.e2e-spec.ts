import { expect, it } from 'vitest';
import { LockAbortedError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { LocksOptions } from 'zk-locks';
import type { Lock, LockMode } from '../../libs/zk-locks/src/lock/lock.js';
import { leastOf, threadCpuMs } from '../support/loop-meter.js';
import { openBehindProxy } from '../support/place.js';

const PATIENT = { maxHandovers: 1_000, maxTenureMs: 60_000 };

/** `locks` have a cohort and a proxy; `others` are another process. */
const open = (options: Partial<LocksOptions> = {}) =>
  openBehindProxy({ cohort: PATIENT, ...options });

it('passes the lock on in memory, in the order of the calls, with tokens that rise', async () => {
  const { proxy, locks } = await open();
  const holder = await locks.acquire('k');
  await proxy.resetCounters();
  const order: number[] = [];
  const tokens: bigint[] = [holder.fencingToken];
  let inside = 0;
  const working = Array.from({ length: 200 }, (_, call) =>
    locks.withLock('k', async (lock) => {
      expect(++inside).toBe(1);
      order.push(call);
      tokens.push(lock.fencingToken);
      await Promise.resolve();
      inside--;
    }),
  );
  await holder.release();
  await Promise.all(working);
  expect(order).toEqual(Array.from({ length: 200 }, (_, call) => call));
  expect(tokens).toEqual(tokens.map((_, index) => holder.fencingToken + BigInt(index)));
  expect(await proxy.requests()).toMatchObject({ create: 0, getChildren: 0, delete: 1 });
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
});

it('lets readers share one node, but no reader overtake a waiting writer of the process', async () => {
  const { proxy, locks } = await open();
  const first = await locks.acquire('k', { mode: 'read' });
  await proxy.resetCounters();
  const readers = await Promise.all(
    Array.from({ length: 20 }, () => locks.acquire('k', { mode: 'read' })),
  );
  expect(await proxy.requests()).toMatchObject({ create: 0 });
  expect(locks.counts).toEqual({ held: 21, waiting: 0 });
  expect(new Set(readers.map(({ fencingToken }) => fencingToken)).size).toBe(20);

  const order: string[] = [];
  const work = (mode: LockMode, name: string): Promise<unknown> =>
    locks.withLock('k', { mode }, () => order.push(name));
  const working = [work('write', 'W1'), work('read', 'R2'), work('write', 'W2')];
  expect(await locks.tryAcquire('k', { mode: 'read' })).toBeNull();
  await Promise.all([first, ...readers].map((lock) => lock.release()));
  await Promise.all(working);
  expect(order).toEqual(['W1', 'R2', 'W2']);
});

it('tells a call that gives up who holds the lock at the same cost, however many calls give up', async () => {
  const { locks } = await open();
  const readers = async (count: number): Promise<Lock[]> =>
    Promise.all(Array.from({ length: count }, () => locks.acquire('k', { mode: 'read' })));
  const costOfGivingUp = async (): Promise<number> => {
    const before = threadCpuMs();
    const writers = Array.from({ length: 500 }, () => locks.acquire('k', { timeoutMs: 500 }));
    for (const end of await Promise.allSettled(writers)) {
      expect(end).toMatchObject({ reason: { code: 'LOCK_TIMEOUT', holders: { length: 10 } } });
    }
    return threadCpuMs() - before;
  };
  const few = await readers(20);
  await costOfGivingUp();
  const costWithFew = await costOfGivingUp();
  const many = [...(await readers(900)), ...(await readers(900))];
  expect(await leastOf(3 * costWithFew, costOfGivingUp)).toBeLessThan(3 * costWithFew);
  await Promise.all([...few, ...many].map((lock) => lock.release()));
});

it('queues for a waiting call when the time of the turn is up, even if the call inside stays', async () => {
  const { locks, others, queued } = await open({ cohort: { maxTenureMs: 200 } });
  const holder = await locks.acquire('k');
  const order: string[] = [];
  const working = [locks.withLock('k', () => order.push('ours'))];
  await queued(2);
  working.push(others.withLock('k', () => order.push('theirs')));
  await queued(3);
  await holder.release();
  await Promise.all(working);
  expect(order).toEqual(['ours', 'theirs']);
});

it('remains one cohort behind a call that had ended before it began', async () => {
  const { locks } = await open();
  const over = locks.acquire('k', { signal: AbortSignal.abort() });
  const acquiring = locks.acquire('k');
  await expect(over).rejects.toThrow(LockAbortedError);
  const holder = await acquiring;
  const working = locks.withLock('k', () => undefined);
  const { total, cohort } = await locks.inspect('k');
  expect({ total, waiting: cohort?.waiting }).toEqual({ total: 1, waiting: 1 });
  await holder.release();
  await working;
});

it('shows each of its calls to its own process, but a single node to others', async () => {
  const { locks, others } = await open();
  const readers = [
    await locks.acquire('k', { mode: 'read', label: 'first' }),
    await locks.acquire('k', { mode: 'read', label: 'second' }),
  ];
  const working = locks.withLock('k', () => undefined);
  const { holders, cohort } = await locks.inspect('k');
  const [{ fencingToken }] = readers as [Lock];
  expect(holders).toMatchObject([{ mode: 'read', fencingToken, holder: { cohort: true } }]);
  // By now, the lock may belong to a later call.
  expect(holders[0]?.holder).not.toHaveProperty('label');
  expect(cohort).toEqual({
    members: readers.map(({ mode, fencingToken }, index) => ({
      ...{ mode, fencingToken, since: expect.any(Date) as Date },
      label: ['first', 'second'][index],
    })),
    waiting: 1,
  });
  const seen = await others.inspect('k');
  expect(seen.cohort).toBeUndefined();
  expect(seen.holders[0]?.holder).not.toHaveProperty('label');
  await Promise.all(readers.map((reader) => reader.release()));
  await working;
  expect((await locks.inspect('k')).cohort).toBeUndefined();
});

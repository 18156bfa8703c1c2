import { expect, it, onTestFinished } from 'vitest';
import { LockTimeoutError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import {
  briefSession,
  openLocks,
  ownRoot,
  refusedWithHolders,
  TestLocks,
  untilWaiting,
} from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { recordEvents } from './support/record-events.js';
import { openTwo } from '../support/place.js';

it('reports the wait for a lock and its hold, with all that the call specified', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const events = recordEvents();
  const said = { mode: 'read', label: 'invoice 7', pattern: 'order:{id}' } as const;
  const lock = await locks.acquire('order:7', { ...said, timeoutMs: 9_000 });
  await lock.release();

  const [waitStart, waitEnd, holdStart, holdEnd] = events.calls.map(({ event }) => event);
  const { id } = waitStart as { id: number };
  const call = {
    ...said,
    connection: 'default',
    kind: 'lock',
    key: 'order:7',
    permits: undefined,
    id,
  };
  const ms = expect.any(Number) as number;
  const wait = { ...call, timeoutMs: 9_000 };
  const hold = { ...call, fencingToken: lock.fencingToken, waitMs: ms };
  const granted = { result: 'granted', durationMs: ms, error: undefined };
  const released = { result: 'released', durationMs: ms, lossReason: undefined };
  expect(events.story('order:7')).toEqual([
    ...['waitStart', 'waitEnd granted', 'holdStart', 'holdEnd released'],
  ]);
  expect(waitStart).toEqual({ ...wait, waiting: 1, held: 0 });
  expect(waitEnd).toEqual({ ...wait, ...granted, waiting: 0, held: 1 });
  expect(holdStart).toEqual({ ...hold, waiting: 0, held: 1 });
  expect(holdEnd).toEqual({ ...hold, ...released, waiting: 0, held: 0 });
});

it('says what ended a wait', async () => {
  const { locks, others } = await openTwo();
  await using _lock = await others.acquire('k');
  const events = recordEvents();
  const stop = new AbortController();
  await refusedWithHolders(() => locks.acquire('k', { timeoutMs: 1_000 }));
  // On a busy machine, it takes more than one call to time out with the lock known to be held.
  const timeout = events.of('waitEnd').find(({ result }) => result === 'timeout');
  expect(timeout!.error).toBeInstanceOf(LockTimeoutError);
  const before = events.of('waitEnd').length;
  await locks.tryAcquire('k');
  const aborted = locks.acquire('k', { signal: stop.signal }).catch((error: unknown) => error);
  await untilWaiting(locks);
  stop.abort();
  await aborted;
  const closed = locks.acquire('k').catch((error: unknown) => error);
  await locks.close();
  await closed;
  const ends = events.of('waitEnd').slice(before);
  expect(ends.map(({ result }) => result)).toEqual(['busy', 'aborted', 'closed']);
  expect(ends[1]!.error).toBe(await aborted);
  expect(events.of('holdStart')).toEqual([]);
});

it('says that the wait of a follower ended with its election, or with the service', async () => {
  const { locks, others } = await openTwo();
  const leading = ['a', 'b'].map((key) => others.election(key));
  await Promise.all(leading.map(async (election) => election.whenLeader()));
  const events = recordEvents();
  const [left] = ['a', 'b'].map((key) => locks.election(key));
  await waitFor(() => events.of('waitStart').length === 2, { what: 'both to wait' });
  await left!.close();
  await locks.close();
  const ends = events.of('waitEnd').map(({ key, result }) => `${key} ${result}`);
  expect(ends).toEqual(['a aborted', 'b closed']);
});

it('says what a call was for', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const events = recordEvents();
  await (await locks.acquireAll(['a', 'b'], { pattern: 'pair' })).release();
  const upgradable = await locks.acquireUpgradable('u', { pattern: 'stock' });
  await (await upgradable.upgrade()).release();
  await upgradable.release();
  const permit = await locks.semaphore('s', { permits: 3 }).acquire({ take: 2, pattern: 'pool' });
  await permit.release();
  const election = locks.election('e', { pattern: 'leader' });
  await election.whenLeader();
  await election.close();
  const told = events
    .of('waitEnd')
    .map(({ key, kind, mode, pattern, take, result }) => [
      ...[key, kind, mode, pattern, take, result],
    ]);
  expect(told).toEqual([
    ['a', 'multi', 'write', 'pair', undefined, 'granted'],
    ['b', 'multi', 'write', 'pair', undefined, 'granted'],
    ['u', 'upgradable', 'read', 'stock', undefined, 'granted'],
    ['u', 'upgrade', 'write', 'stock', undefined, 'granted'],
    ['s', 'permit', 'permit', 'pool', 2, 'granted'],
    ['e', 'election', 'write', 'leader', undefined, 'granted'],
  ]);
  // The upgrade uses the hold of the upgradable lock.
  expect(events.of('holdStart').map(({ kind }) => kind)).toEqual([
    ...['multi', 'multi', 'upgradable', 'permit', 'election'],
  ]);
  const [held] = events.of('holdStart').filter(({ kind }) => kind === 'permit');
  expect(held!.fencingToken).toBeUndefined();
  await waitFor(() => events.of('holdEnd').length === 5, { what: 'all to be released' });
});

it("reports the states of a named connection's session, and which reconnects keep it", async () => {
  const proxy = await openProxy();
  const events = recordEvents();
  // The session must survive the first reconnect, even on a busy machine.
  const options = { servers: proxy.connectString, root: ownRoot(), ...briefSession };
  const locks = new TestLocks(options, undefined, 'billing');
  onTestFinished(() => locks.close());
  await locks.start();
  await proxy.cut();
  await waitFor(() => events.of('session').length === 4, { what: 'the reconnect' });
  await proxy.refuse();
  await proxy.cut();
  await waitFor(() => events.of('session').at(-1)?.state === 'connecting', { what: 'the loss' });
  await locks.close();
  const told = events.of('session');
  expect(told.every(({ connection }) => connection === 'billing')).toBe(true);
  const steps = told.map(({ previous, state, isReconnect }) => [previous, state, isReconnect]);
  expect(steps).toEqual([
    [undefined, 'connecting', false],
    ['connecting', 'connected', false],
    ['connected', 'suspended', false],
    ['suspended', 'connected', true],
    ['connected', 'suspended', false],
    ['suspended', 'lost', false],
    ['lost', 'connecting', false],
    ['connecting', 'closed', false],
  ]);
  expect(told[5]!.lossReason).toBe('lease-expired');
});

import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import {
  ElectionClosedError,
  LockKeyError,
  LockLostError,
  LockServiceClosedError,
  NotLeaderError,
} from '../../libs/zk-locks/src/lock-errors.js';
import type { LeaderElection } from '../../libs/zk-locks/src/election/leader-election.js';
import { currentLock } from '../../libs/zk-locks/src/grant/async-scope.js';
import { FaultProxy } from '../support/fault-proxy.js';
import type { LockWorker } from '../support/lock-worker.js';
import {
  lockNodes,
  openInspector,
  openLocks,
  openWorker,
  ownRoot,
  shortSession,
  TestLocks,
} from '../support/locks.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { sharedServer } from '../support/shared-server.js';
import { startServer } from '../support/test-server.js';
import { waitFor } from '../support/wait-for.js';

async function open() {
  const root = ownRoot();
  const inspector = await openInspector();
  const nodes = (): Promise<string[]> => lockNodes(inspector, `${root}/k`);
  const queued = (count: number): Promise<boolean> =>
    waitFor(async () => (await nodes()).length === count, { what: `${count} in the queue` });
  /** As an operator would. */
  const deleteHead = async (): Promise<void> => {
    const [head] = (await nodes()).toSorted((a, b) => sequence(a) - sequence(b));
    await inspector.delete(`${root}/k/${head!}`);
  };
  return { root, inspector, nodes, queued, deleteHead };
}

const sequence = (name: string): number => Number(/\d{10}$/.exec(name)?.[0]);

/** The elections of so many sessions, in the order in which they joined. */
async function candidates(
  count: number,
  { root, queued }: Awaited<ReturnType<typeof open>>,
): Promise<LeaderElection[]> {
  const elections: LeaderElection[] = [];
  for (let index = 0; index < count; index++) {
    const locks = await openLocks({ root });
    elections.push(locks.election('k'));
    await queued(index + 1);
  }
  return elections;
}

/** When the worker was elected last. */
async function elected(worker: LockWorker, times = 1) {
  const terms = (): LockWorker['termNews'] =>
    worker.termNews.filter(({ type }) => type === 'elected');
  await waitFor(() => terms().length >= times, { what: 'the worker to lead', timeoutMs: 20_000 });
  return terms()[times - 1]!;
}

it('has one leader, and the same election for all who ask while it is open', async () => {
  const place = await open();
  const locks = await openLocks({ root: place.root });
  const election = locks.election('k', { label: 'timetable' });
  expect(locks.election('k', { label: 'another' })).toBe(election);
  const term = await election.whenLeader();
  const follower = (await openLocks({ root: place.root })).election('k');
  await place.queued(2);

  expect([election.isLeader, follower.isLeader]).toEqual([true, false]);
  expect(election.term).toBe(term);
  expect(follower.term).toBeUndefined();
  expect(term).toMatchObject({ key: 'k', isHeld: true });
  term.assertHeld();
  expect(locks.counts).toEqual({ held: 1, waiting: 0 });
  const { leader, waiters, total } = await follower.participants({ linearizable: true });
  expect(leader).toMatchObject({
    fencingToken: term.fencingToken,
    holder: { label: 'timetable', pid: process.pid },
  });
  expect([waiters.length, total]).toEqual([1, 2]);
});

it('is the write lock of its key', async () => {
  const place = await open();
  const locks = await openLocks({ root: place.root });
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
  expect((await election.participants()).leader).toBeUndefined();
  await reader.release();
  await election.whenLeader();
});

it('hands on in the order of arrival, and the one who resigns stands behind the others', async () => {
  const place = await open();
  const elections = await candidates(3, place);
  const tokens: bigint[] = [];
  for (const index of [0, 1, 2, 0, 1]) {
    const { fencingToken, signal } = await elections[index]!.whenLeader();
    tokens.push(fencingToken);
    expect(elections.filter(({ isLeader }) => isLeader)).toHaveLength(1);
    await elections[index]!.resign();
    expect(signal.reason).toMatchObject({ code: 'LOCK_RELEASED' });
    await place.queued(3);
  }
  expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
  expect(new Set(tokens).size).toBe(5);
});

it('leads again by itself when nobody else wants to after it has resigned', async () => {
  const place = await open();
  const [election] = await candidates(1, place);
  const { fencingToken } = await election!.whenLeader();
  await election!.resign();
  expect((await election!.whenLeader()).fencingToken).toBeGreaterThan(fencingToken);
  expect(await place.nodes()).toHaveLength(1);
});

it('tells observers of the terms in order, beginning with the present', async () => {
  const place = await open();
  const [election] = await candidates(1, place);
  const seen: (bigint | undefined | string)[] = [];
  election!.onTerm(
    (term) => seen.push(term?.fencingToken),
    () => seen.push('closed'),
  );
  const first = await election!.whenLeader();
  const later: unknown[] = [];
  election!.onTerm((term) => later.push(term?.fencingToken));
  await place.deleteHead();
  const second = await waitFor(() => election!.term !== first && election!.term, {
    what: 'the next term',
  });
  await election!.close();
  const [one, two] = [first.fencingToken, second.fencingToken];
  expect(seen.slice(seen.indexOf(one))).toEqual([one, undefined, two, undefined, 'closed']);
  expect(later).toEqual([one, undefined, two, undefined]);
});

it('tells a leader whose node an operator deletes, and lets it stand behind the others', async () => {
  const place = await open();
  const [first, second] = await candidates(2, place);
  const term = await first!.whenLeader();
  await place.deleteHead();
  const next = await second!.whenLeader();
  await waitFor(() => term.signal.aborted, { what: 'the signal to abort' });
  expect(term.signal.reason).toBeInstanceOf(LockLostError);
  expect(term.signal.reason).toMatchObject({ reason: 'node-deleted', key: 'k' });
  expect(() => term.assertHeld()).toThrow(LockLostError);
  expect(next.fencingToken).toBeGreaterThan(term.fencingToken);
  await place.queued(2);
  await second!.resign();
  const again = await first!.whenLeader();
  expect(again.fencingToken).toBeGreaterThan(next.fencingToken);
});

it('queues up anew when an operator deletes the node with which it waits', async () => {
  const place = await open();
  const [first, second] = await candidates(2, place);
  await first!.whenLeader();
  const waiting = (await place.nodes()).toSorted((a, b) => sequence(a) - sequence(b))[1]!;
  await place.inspector.delete(`${place.root}/k/${waiting}`);
  await first!.close();
  await second!.whenLeader();
});

it('leaves nothing behind when it is closed, leading or waiting, and can be joined anew', async () => {
  const place = await open();
  const locks = await openLocks({ root: place.root });
  const leader = locks.election('k');
  const { signal } = await leader.whenLeader();
  const waiting = (await openLocks({ root: place.root })).election('k');
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
  expect(await place.nodes()).toEqual([]);
  expect([leader.isLeader, leader.term]).toEqual([false, undefined]);
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
  const anew = locks.election('k');
  expect(anew).not.toBe(leader);
  await anew.whenLeader();
  await leader.close();
  expect(anew.isLeader).toBe(true);
  expect(locks.election('k')).toBe(anew);
});

it('can be joined anew by who hears that it is closed, and closes it once more', async () => {
  const place = await open();
  const locks = await openLocks({ root: place.root });
  const old = locks.election('k');
  const { signal } = await old.whenLeader();
  let anew: LeaderElection | undefined;
  signal.addEventListener('abort', () => {
    anew = locks.election('k');
    void old.close();
  });
  await old.close();
  expect(anew).not.toBe(old);
  expect(locks.election('k')).toBe(anew);
  await anew!.whenLeader();
  expect(await place.nodes()).toHaveLength(1);
});

it('runs work as the leader only, under a lock that nested calls join', async () => {
  const place = await open();
  const root = place.root;
  const locks = await openLocks({ root });
  const election = locks.election('k');
  const term = await election.whenLeader();
  const follower = (await openLocks({ root })).election('k');
  await place.queued(2);
  await expect(follower.asLeader(() => 1)).rejects.toThrow(NotLeaderError);

  const result = await election.asLeader(async (lock) => {
    expect(currentLock()).toBe(lock);
    expect(lock.fencingToken).toBe(term.fencingToken);
    await locks.withLock('k', { timeoutMs: 0 }, (nested) => {
      expect(nested.fencingToken).toBe(term.fencingToken);
    });
    await lock.release();
    return 'done';
  });
  expect(result).toBe('done');
  expect(election.isLeader).toBe(true);
  expect(locks.counts.held).toBe(1);
});

it('hands on only when the work has ended that ran while it resigned', async () => {
  const place = await open();
  const [first, second] = await candidates(2, place);
  await first!.whenLeader();
  const work = first!.asLeader(async (lock) => {
    await first!.resign();
    await place.queued(3);
    expect([first!.isLeader, second!.isLeader]).toEqual([false, false]);
    lock.assertHeld();
  });
  await work;
  await second!.whenLeader();
  await place.queued(2);
});

it('has one leader among processes, of which one is killed and one is stopped for too long', async () => {
  const { root, queued } = await open();
  const workers: LockWorker[] = [];
  for (let index = 0; index < 3; index++) {
    const worker = await openWorker({ ...shortSession, root });
    await worker.stand('k');
    await queued(index + 1);
    workers.push(worker);
  }
  const [killed, stopped, last] = workers as [LockWorker, LockWorker, LockWorker];
  const tokens = [await elected(killed)];
  expect(await Promise.all(workers.map((worker) => worker.isLeader('k')))).toEqual([
    true,
    false,
    false,
  ]);

  killed.signal('SIGKILL');
  tokens.push(await elected(stopped));
  stopped.signal('SIGSTOP');
  tokens.push(await elected(last));
  // The question is on its way before the process wakes, ahead of whatever ZooKeeper would tell it.
  const answer = stopped.isLeader('k');
  stopped.signal('SIGCONT');
  expect(await answer).toBe(false);
  expect(await last.isLeader('k')).toBe(true);

  await queued(2);
  await last.resign('k');
  tokens.push(await elected(stopped, 2));
  const risen = tokens.map(({ fencingToken }) => BigInt(fencingToken));
  expect(risen).toEqual(risen.toSorted((a, b) => Number(a - b)));
  expect(new Set(risen).size).toBe(4);
  await Promise.all([stopped.leave('k'), last.leave('k')]);
  await queued(0);
});

it('is told before another leads that ZooKeeper cannot be reached, and comes back by itself', async () => {
  const { root, queued } = await open();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const cut = (await openLocks({ ...shortSession, root, servers: proxy.connectString })).election(
    'k',
  );
  const term = await cut.whenLeader();
  const other = (await openLocks({ ...shortSession, root })).election('k');
  await queued(2);
  await proxy.refuse();
  await proxy.cut();
  const toldFirst = once(term.signal, 'abort').then(() => other.isLeader);
  const next = await other.whenLeader();
  expect(await toldFirst).toBe(false);
  expect(term.signal.reason).toMatchObject({ reason: 'lease-expired' });
  expect([cut.isLeader, cut.term]).toEqual([false, undefined]);
  await proxy.accept();
  await queued(2);
  await other.resign();
  expect((await cut.whenLeader()).fencingToken).toBeGreaterThan(next.fencingToken);
});

it('keeps its leader when the server comes back within the session timeout', async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const options = { servers: server.connectString, sessionTimeoutMs: 20_000, tickTimeMs: 500 };
  const locks = await openLocks(options);
  const election = locks.election('k');
  const term = await election.whenLeader();
  await server.kill();
  await waitFor(() => !locks.session.isConnected, { what: 'the session to be suspended' });
  expect(election.isLeader).toBe(true);
  await server.restart();
  await waitFor(() => locks.session.isConnected, { what: 'the session to reconnect' });
  expect(election.isLeader).toBe(true);
  expect(election.term).toBe(term);
});

it('elects anew when the server comes back too late', async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const options = { ...shortSession, servers: server.connectString };
  const elections = [
    (await openLocks(options)).election('k'),
    (await openLocks(options)).election('k'),
  ];
  const { signal, fencingToken } = await Promise.any(elections.map((one) => one.whenLeader()));
  await server.kill();
  await waitFor(() => signal.aborted, { what: 'the leader to be told' });
  expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' });
  expect(elections.map(({ isLeader }) => isLeader)).toEqual([false, false]);
  await server.restart();
  const next = await Promise.any(elections.map((one) => one.whenLeader()));
  expect(next.fencingToken).toBeGreaterThan(fencingToken);
  expect(elections.filter(({ isLeader }) => isLeader)).toHaveLength(1);
});

it('waits without a limit for a ZooKeeper that is not there yet, and says nothing of it', async () => {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  await proxy.refuse();
  const logger = new RecordingLogger();
  const options = { ...shortSession, root, servers: proxy.connectString, acquireTimeoutMs: 1 };
  const locks = new TestLocks(options, logger);
  onTestFinished(() => locks.close());
  const election = locks.election('k');
  await locks.start({ wait: false });
  await waitFor(() => locks.session.lastFailure, { what: 'a failed attempt' });
  expect(election.isLeader).toBe(false);
  expect(locks.counts).toEqual({ held: 0, waiting: 1 });
  await proxy.accept();
  await election.whenLeader();
  // The session says that it cannot connect.
  expect(logger.of('warn', 'error').filter((line) => line.includes('lead'))).toEqual([]);
});

it('stands aside where foreign nodes lie, says so once, and comes back when they are gone', async () => {
  const { root, inspector, nodes } = await open();
  const setUp = await openLocks({ root });
  await setUp.withLock('k', () => undefined);
  await inspector.create(`${root}/k/somebody-elses-node`, '');
  const logger = new RecordingLogger();
  const locks = new TestLocks({ servers: sharedServer().connectString, root }, logger);
  onTestFinished(() => locks.close());
  await locks.start();
  const election = locks.election('k');
  await waitFor(() => logger.of('debug', 'warn', 'error').length > 3, { what: 'it to try again' });
  expect(logger.of('warn')).toEqual([expect.stringContaining('somebody-elses-node')]);
  await inspector.delete(`${root}/k/somebody-elses-node`);
  await election.whenLeader();
  expect(await nodes()).toHaveLength(1);
});

it('ends with its service: leaders hand over at once, but for work that runs', async () => {
  const place = await open();
  const { root } = place;
  const locks = new TestLocks({ servers: sharedServer().connectString, root });
  onTestFinished(() => locks.close());
  await locks.start();
  const [busy, idle] = [locks.election('k'), locks.election('idle')];
  const [{ signal }] = await Promise.all([busy.whenLeader(), idle.whenLeader()]);
  const others = await openLocks({ root });
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
  expect(() => locks.election('k')).toThrow(LockServiceClosedError);
  await expect(busy.asLeader(() => 1)).rejects.toThrow(LockServiceClosedError);
});

it('refuses a key or options that cannot be, at once', async () => {
  const locks = await openLocks({ root: ownRoot() });
  expect(() => locks.election('')).toThrow(LockKeyError);
  expect(() => locks.election('k', { timeoutMs: 5 } as never)).toThrow('Use label, pattern.');
  expect(() => locks.election('k', { label: '' })).toThrow('`label`');
  expect(locks.counts.waiting).toBe(0);
});

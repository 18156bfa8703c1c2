import timers, { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { replaceBuiltin } from '../../../../test/support/replace-builtin.js';
import {
  ElectionClosedError,
  LockAbortedError,
  LockDirectoryError,
  LockLostError,
  NotLeaderError,
} from '../lock/lock-errors.js';
import type { LocksContext } from '../grant/locks-context.js';
import type { SessionLease } from '../../../zk-client/src/session/session-lease.js';
import { NodeGrant } from '../grant/node-grant.js';
import { LeaderElection } from './leader-election.js';

const pauses: number[] = [];
/** Of these, what keeps the process running. */
const running: number[] = [];
const pause = (ms = 0, _?: unknown, { ref = true }: { ref?: boolean } = {}): Promise<void> => {
  pauses.push(ms);
  if (ref) running.push(ms);
  return Promise.resolve();
};
replaceBuiltin(timers, 'setTimeout', pause as typeof timers.setTimeout);
beforeEach(() => (pauses.length = running.length = 0));

interface Taking {
  readonly grant: (holding: NodeGrant) => void;
  readonly refuse: (error: Error) => void;
}

/** An election whose queue is in the hands of the test. */
function open({ marginMs = 0, isConnected = true } = {}) {
  const takings: Taking[] = [];
  const log: string[] = [];
  const say = (level: string) => (message: string) => log.push(`${level}: ${message}`);
  const take = (signal: AbortSignal): Promise<NodeGrant> =>
    new Promise((grant, refuse) => {
      signal.onabort = () => refuse(signal.reason as Error);
      takings.push({ grant, refuse });
    });
  const onClosed = vi.fn();
  let isServiceClosing = false;
  const election = new LeaderElection('k', {
    owner: {},
    directory: '/locks/k',
    sessionTimeoutMs: 10_000,
    marginMs,
    logger: { debug: say('debug'), log: say('log'), warn: say('warn'), error: say('error') },
    take,
    onLost: () => undefined,
    // The test runner asks all that it compares.
    inspect: () => new Promise(() => undefined),
    onClosed,
    isServiceClosing: () => isServiceClosing,
    isConnected: () => isConnected,
  });
  const levels = (): string[] => log.map((line) => line.slice(0, line.indexOf(':')));
  const endWithService = (): Promise<void> => {
    isServiceClosing = true;
    return election.close();
  };
  return { election, takings, log, levels, onClosed, endWithService };
}

class FakeSession {
  valid = true;
  certain = Promise.resolve();

  holding(): NodeGrant {
    const lease = {
      get holding() {
        return this;
      },
      listen: () => undefined,
      unlisten: () => undefined,
      isValid: () => this.valid,
      whenCertain: () => this.certain,
    } as unknown as SessionLease;
    return new NodeGrant({} as LocksContext, lease, { key: 'k', mode: 'write' });
  }
}

/** Lets promises run. */
const settle = nextTurn;

async function elect({ takings }: ReturnType<typeof open>, session = new FakeSession()) {
  const holding = session.holding();
  takings.at(-1)!.grant(holding);
  await settle();
  return holding;
}

it.each([
  [true, 'does not lead "k" at the moment. Leave'],
  [false, 'does not lead "k" at the moment, because it has no connection to ZooKeeper. Leave'],
])('a follower says whether it is connected (%s)', async (isConnected, text) => {
  await expect(open({ isConnected }).election.asLeader(() => 1)).rejects.toThrow(text);
});

it('asks the clock, not its memory, whether it leads', async () => {
  const opened = open();
  const session = new FakeSession();
  await elect(opened, session);
  const { term } = opened.election;
  session.valid = false;
  expect(term!.isHeld).toBe(false);
  expect(opened.election.isLeader).toBe(false);
  expect(() => term!.assertHeld()).toThrow(LockLostError);
  await expect(opened.election.asLeader(() => 1)).rejects.toThrow(NotLeaderError);
  await opened.election.close();
});

it('gives out a term without the methods of a lock, which its user does not own', async () => {
  const opened = open();
  await elect(opened);
  const term: object = opened.election.term!;
  for (const method of ['release', Symbol.asyncDispose, 'transact']) {
    expect(method in term).toBe(false);
  }
  await opened.election.close();
});

it('waits with whenLeader for a session that has to be confirmed after a pause', async () => {
  const opened = open();
  const session = new FakeSession();
  await elect(opened, session);
  let confirm!: () => void;
  session.certain = new Promise((resolve) => (confirm = resolve));
  session.valid = false;
  let led = false;
  const leading = opened.election.whenLeader().then(() => (led = true));
  await settle();
  expect(led).toBe(false);
  session.valid = true;
  confirm();
  await leading;
  await opened.election.close();
});

it('stops waiting for a session that has to be confirmed when the caller aborts', async () => {
  const opened = open();
  const session = new FakeSession();
  await elect(opened, session);
  session.certain = new Promise(() => undefined);
  session.valid = false;
  const controller = new AbortController();
  const waiting = opened.election.whenLeader({ signal: controller.signal });
  await settle();
  controller.abort();
  await expect(waiting).rejects.toThrow(LockAbortedError);
  session.valid = true;
  await opened.election.close();
});

it('has no term by the time its listeners hear of the end, and queues up again', async () => {
  const opened = open();
  const { election, takings, levels } = opened;
  const holding = await elect(opened);
  const { term } = election;
  const seen: unknown[] = [];
  term!.signal.addEventListener('abort', () => seen.push(election.term, election.isLeader));
  holding.lose('node-deleted');
  expect(seen).toEqual([undefined, false]);
  expect(() => term!.assertHeld()).toThrow(LockLostError);
  expect(term!.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'node-deleted' });
  await settle();
  expect(() => term!.assertHeld()).toThrow(LockLostError);
  expect(holding.isReleased).toBe(true);
  expect(takings).toHaveLength(2);
  expect(levels()).toEqual(['log', 'warn']);
  await election.close();
});

it('retries at once after one setback, and with growing delays after a series of them', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.999);
  const { election, takings } = open();
  for (let round = 0; round < 10; round++) {
    takings.at(-1)!.refuse(new LockDirectoryError('foreign nodes'));
    await settle();
    expect(takings).toHaveLength(round + 2);
  }
  const expected = [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000];
  expect(pauses).toEqual(expected.map((ms) => ms * 0.999));
  random.mockRestore();
  await election.close();
});

it('keeps the lock of a lost term for the margin, without keeping the process running', async () => {
  const opened = open({ marginMs: 3_000 });
  const lock = await elect(opened);
  lock.lose('margin-reached');
  await settle();
  expect([pauses, running]).toEqual([[3_000], []]);
  expect(lock.isReleased).toBe(true);
  await opened.election.close();
});

it('warns once of what keeps it from queueing up, and again when that changes', async () => {
  const opened = open();
  const { takings, levels, log } = opened;
  for (const text of ['one', 'one', 'one', 'two', 'two']) {
    takings.at(-1)!.refuse(new LockDirectoryError(text));
    await settle();
  }
  expect(levels()).toEqual(['error', 'debug', 'debug', 'error', 'debug']);
  expect(log[0]).toContain('"k"');
  await elect(opened);
  await opened.election.resign();
  takings.at(-1)!.refuse(new LockDirectoryError('two'));
  await settle();
  expect(levels().at(-1)).toBe('error');
  await opened.election.close();
});

it('does not log that it is closed while it waits, and rejects the calls that wait with it', async () => {
  const { election, takings, log, onClosed } = open();
  const waiting = Array.from({ length: 20 }, () =>
    election.whenLeader().catch((error: unknown) => error),
  );
  await Promise.all([election.close(), election.close()]);
  const errors = await Promise.all(waiting);
  for (const error of errors) expect(error).toBeInstanceOf(ElectionClosedError);
  expect(new Set(errors).size).toBe(20);
  expect([takings.length, log.length]).toEqual([1, 0]);
  expect(onClosed).toHaveBeenCalledWith(election);
  await expect(election.whenLeader()).rejects.toThrow(ElectionClosedError);
  await expect(election.asLeader(() => 1)).rejects.toThrow(ElectionClosedError);
});

it('says that it was closed, even if the caller aborts in the same turn', async () => {
  const { election } = open();
  const controller = new AbortController();
  const waiting = election.whenLeader({ signal: controller.signal });
  const closed = election.close();
  controller.abort();
  await expect(waiting).rejects.toThrow(ElectionClosedError);
  await closed;
});

it('stops waiting when the caller aborts, and leaves nothing on the signal', async () => {
  const { election } = open();
  const controller = new AbortController();
  const waiting = election.whenLeader({ signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toMatchObject({
    code: 'LOCK_ABORTED',
    cause: { message: 'enough' },
  });
  await expect(election.whenLeader({ signal: controller.signal })).rejects.toThrow(
    LockAbortedError,
  );
  await expect(election.whenLeader({ signal: 5 as never })).rejects.toThrow(
    'must be an AbortSignal',
  );
  await expect(election.whenLeader({ timeoutMs: 5 } as never)).rejects.toThrow('Use signal.');
  await election.close();
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LockQueueFullError } from '../lock/lock-errors.js';
import { ZkClosedError } from '../../../zk-client/src/zk-lock-error.js';
import type { Session } from '../../../zk-client/src/session/session.js';
import type { Wait } from '../../../zk-client/src/session/wait.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { SessionLease } from '../../../zk-client/src/session/session-lease.js';
import { DEFAULT_MAX_WAITING } from '../options/limits.js';
import { ActiveLocks, type ActiveLocksOptions, type WaitingCall } from './active-locks.js';
import { NodeGrant } from './node-grant.js';

const CALL = {
  key: 'k',
  mode: 'write',
  kind: 'lock',
  directory: '/locks/k',
  timeoutMs: 1_000,
  deadline: Infinity,
  signal: undefined,
} as const;
const newActiveLocks = (options: Partial<ActiveLocksOptions> = {}): ActiveLocks =>
  new ActiveLocks(
    {
      connection: 'default',
      session: {} as Session,
      sessionTimeoutMs: Infinity,
      onLost: () => undefined,
      onFull: () => undefined,
      maxWaiting: DEFAULT_MAX_WAITING,
      ...options,
    },
    undefined,
  );
const UPGRADE = { ...CALL, kind: 'upgrade' } as const;
const untilEnded = (wait: Wait): Promise<never> => wait.for(new Promise(() => undefined));

describe('the waits of a process', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are ended together, each with an error of its own', async () => {
    const activeLocks = newActiveLocks();
    const waiting = [1, 2].map(() => activeLocks.during(UPGRADE, untilEnded));
    expect(activeLocks.counts.waiting).toBe(2);
    activeLocks.endWaits(1_000);
    const errors = await Promise.all(waiting.map((wait) => wait.catch((error: unknown) => error)));
    expect(errors).toEqual([expect.any(ZkClosedError), expect.any(ZkClosedError)]);
    expect(errors[0]).not.toBe(errors[1]);
    expect(activeLocks.counts.waiting).toBe(0);
  });

  it('may begin after that, and then last no longer than their remaining time', async () => {
    const activeLocks = newActiveLocks();
    activeLocks.endWaits(10);
    await expect(activeLocks.during(UPGRADE, () => Promise.resolve('held'))).resolves.toBe('held');
    expect(vi.getTimerCount()).toBe(0);
    const waiting = activeLocks.during(UPGRADE, untilEnded);
    vi.advanceTimersByTime(9);
    expect(activeLocks.counts.waiting).toBe(1);
    vi.advanceTimersByTime(1);
    await expect(waiting).rejects.toThrow(ZkClosedError);
  });
});

describe('the calls of a process that wait', () => {
  const MAX = { perKey: 2, total: 3 };
  const open = () => {
    const activeLocks = newActiveLocks({ maxWaiting: MAX });
    const wait = (call: Partial<WaitingCall> = {}) =>
      activeLocks.take({ ...CALL, ...call }, untilEnded).catch((error: unknown) => error);
    return { activeLocks, wait };
  };
  const other = { key: 'o', directory: '/locks/o' };

  it('are refused at once beyond the limit for a key, and beyond that for all', async () => {
    const { activeLocks, wait } = open();
    void wait();
    void wait({ mode: 'read' });
    expect(await wait()).toMatchObject({ key: 'k', option: 'maxWaiting.perKey', limit: 2 });
    void wait(other);
    const error = await wait({ ...other, mode: 'permit', kind: 'permit' });
    expect(error).toBeInstanceOf(LockQueueFullError);
    expect(error).toMatchObject({ key: 'o', option: 'maxWaiting.total', limit: 3 });
    expect(activeLocks.counts).toEqual({ held: 0, waiting: 3 });
    activeLocks.endWaits(0);
  });

  it('exclude single tries and elections', async () => {
    const { activeLocks, wait } = open();
    const free = [{ timeoutMs: 0 }, { kind: 'election' }] as const;
    for (let count = 0; count < 5; count++) for (const call of free) void wait(call);
    void wait();
    void wait();
    for (const call of free) void wait(call);
    expect(activeLocks.counts.waiting).toBe(14);
    expect(await wait()).toBeInstanceOf(LockQueueFullError);
    activeLocks.endWaits(0);
  });
});

it('tells a holder of its loss, and reports the end of the last hold, even if the logger throws', async () => {
  const activeLocks = newActiveLocks({
    onLost: () => {
      throw new Error('of the logger');
    },
  });
  const holding = { listen: () => undefined, unlisten: () => undefined, isValid: () => true };
  const lease = { holding };
  const grant = new NodeGrant({} as QueueContext, lease as unknown as SessionLease, CALL);
  await activeLocks.take(CALL, () => Promise.resolve(grant));
  const closed = activeLocks.close(60_000);
  const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined);
  grant.lose('node-deleted');
  const [[report] = []] = later.mock.calls;
  later.mockRestore();
  expect(grant.signal.aborted).toBe(true);
  expect(report).toThrow('of the logger');
  await closed;
});

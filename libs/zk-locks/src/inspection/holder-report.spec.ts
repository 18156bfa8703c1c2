import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dialectOf } from '../nodes/dialect.js';
import { LockAbortedError, LockTimeoutError } from '../lock/lock-errors.js';
import type { QueueContext } from '../queue/lock-node.js';
import { type FoundHolders, HolderReport } from './holder-report.js';

const FOUND: FoundHolders = {
  holders: [{ node: 'n', since: new Date(0), holder: undefined }],
  total: 1,
};

const never = (): Promise<FoundHolders> => new Promise(() => undefined);

const newLook = (isConnected = true): HolderReport => {
  const session = { connectedLease: isConnected ? {} : undefined };
  const context = {
    ...{ session, root: '/locks', dialect: dialectOf('curator-rw') },
    activeLocks: { closing: new AbortController().signal },
    directories: { list: never },
  };
  return new HolderReport(context as unknown as QueueContext);
};

const timeout = (timeoutMs = 10): LockTimeoutError => new LockTimeoutError('k', 'write', timeoutMs);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('gives up soon, and the error is reported unchanged', async () => {
  const error = timeout();
  const explaining = newLook().explainBy(error, '/k', never);
  await vi.advanceTimersByTimeAsync(199);
  const first = await Promise.race([explaining, Promise.resolve('not yet')]);
  expect(first).toBe('not yet');
  await vi.advanceTimersByTimeAsync(1);
  expect(await explaining).toBe(error);
});

it.each<[string, unknown, HolderReport]>([
  ['another error', new LockAbortedError('k', 'write', undefined), newLook()],
  ['what is no error', 'no', newLook()],
  ['a single try', timeout(0), newLook()],
  ['a timeout without a connection', timeout(), newLook(false)],
])('looks for no holder on behalf of %s', async (_what, error, look) => {
  const find = vi.fn(never);
  expect(await look.explainBy(error, '/k', find)).toBe(error);
  expect(find).not.toHaveBeenCalled();
});

it('looks once for all calls that give up while it looks, each with an error of its own', async () => {
  const look = newLook();
  const find = vi.fn(() => Promise.resolve(FOUND));
  const [one, two] = await Promise.all([
    look.explainBy(timeout(), '/k', find),
    look.explainBy(timeout(), '/k', find),
    look.explainBy(timeout(), '/other', find),
  ]);
  expect(find).toHaveBeenCalledTimes(2);
  expect(one).not.toBe(two);
  await look.explainBy(timeout(), '/k', find);
  expect(find).toHaveBeenCalledTimes(3);
});

it.each([
  ['does not look ahead for', 'is over', -1, 0],
  ['looks ahead for', 'is not over', 1_000, 1],
])('%s a call whose time %s', (_looks, _time, msLeft, timers) => {
  const call = { directory: '/k', nesting: { holds: [], node: undefined } };
  const ahead = newLook().lookAhead({ ...call, deadline: performance.now() + msLeft });
  expect(vi.getTimerCount()).toBe(timers);
  void ahead?.();
  expect(vi.getTimerCount()).toBe(0);
});

it('delays the error of a call with other locks by no more than a second, even if it looks twice', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const pass = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
    await nextTurn();
    await nextTurn();
  };
  const report = newLook();
  const node = `/locks/k/_c_${randomUUID()}-__WRIT__0000000000`;
  const nesting = { holds: [], node };
  const call = { directory: '/locks/k', nesting, deadline: performance.now() + 100 };
  const ahead = report.lookAhead(call);
  await pass(50);
  await pass(50);
  const told = vi.fn();
  const find = (): Promise<FoundHolders> => Promise.resolve(FOUND);
  void report.explainBy(timeout(), '/locks/k', find, call, ahead?.()).then(told);
  await pass(950);
  expect(told).not.toHaveBeenCalled();
  await pass(50);
  expect(told).toHaveBeenCalledOnce();
});

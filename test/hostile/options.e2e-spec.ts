import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ZkClient } from 'zk-client';
import { onLockEvents } from 'zk-locks/events';
import { LockTree } from 'zk-locks/inspect';
import { TestLocks } from '../support/locks.js';
import { LockService } from '../../libs/nestjs-zk-lock/src/lock.service.js';
import { resolveModuleOptions } from '../../libs/nestjs-zk-lock/src/zk-lock.options.js';
import { waitFor } from '../support/wait-for.js';
import { nastyValues } from './support/hostile-values.js';
import { expectNamed, outcomeOf, timers, withHostileValues } from './support/judge.js';

/** No server listens there: a call that passes the checks waits for ZooKeeper until its timeout. */
const SERVERS = { servers: '127.0.0.1:1', acquireTimeoutMs: 3, connectTimeoutMs: 3 } as const;

const guarded = vi.fn();
let service: LockService;
let timersBefore: number;

beforeEach(() => {
  guarded.mockReset();
  timersBefore = timers();
  const options = resolveModuleOptions(SERVERS);
  service = new LockService(options);
});

afterEach(async () => {
  expect(guarded).not.toHaveBeenCalled();
  expect(service.counts).toEqual({ held: 0, waiting: 0, skipped: 0 });
  await service.onApplicationShutdown();
  // Vitest and the judge also use timers, which come and go.
  await waitFor(() => timers() <= timersBefore, { what: 'all timers to be cleared' });
});

type Call = (options: never) => unknown;

const semaphore = (): ReturnType<LockService['semaphore']> =>
  service.semaphore('k', { permits: 2 });

/** Calls with options, and the options that no earlier call has. One table checks all of them. */
const CALLS: readonly [name: string, options: readonly string[], call: Call][] = [
  [
    'acquire',
    ['timeoutMs', 'signal', 'label', 'release', 'mode', 'reentrant'],
    (o) => service.acquire('k', o),
  ],
  ['tryAcquire', [], (o) => service.tryAcquire('k', o)],
  ['withLock', [], (o) => service.withLock('k', o, guarded)],
  ['acquireUpgradable', ['timeoutMs'], (o) => service.acquireUpgradable('k', o)],
  ['withUpgradableLock', [], (o) => service.withUpgradableLock('k', o, guarded)],
  ['acquireAll', ['mode'], (o) => service.acquireAll(['k', 'l'], o)],
  ['tryAcquireAll', [], (o) => service.tryAcquireAll(['k'], o)],
  ['withLocks', [], (o) => service.withLocks(['k'], o, guarded)],
  ['runAtMostEvery', [], (o) => service.runAtMostEvery('k', 1_000, o, guarded)],
  ['semaphore.acquire', ['take', 'timeoutMs'], (o) => semaphore().acquire(o)],
  ['semaphore.tryAcquire', [], (o) => semaphore().tryAcquire(o)],
  ['semaphore.withPermit', [], (o) => semaphore().withPermit(o, guarded)],
  ['semaphore.inspect', [], (o) => semaphore().inspect(o)],
  ['semaphore', ['permits'], (o) => service.semaphore('k', o)],
  ['semaphore of a shared count', ['sharedCount', 'seed'], (o) => sharedSemaphore(o)],
  ['inspect', ['linearizable', 'limit'], (o) => service.inspect('k', o)],
  ['election', ['label'], (o) => service.election('k', o).close()],
  ['whenLeader', ['signal'], (o) => whenLeader(o)],
  ['election.inspect', [], (o) => inspectElection(o)],
];

function sharedSemaphore(permits: never): unknown {
  return service.semaphore('k', { permits });
}

async function whenLeader(options: never): Promise<void> {
  await using election = service.election('k');
  // This election never has a leader.
  await Promise.race([election.whenLeader(options), new Promise((done) => setImmediate(done))]);
}

async function inspectElection(options: never): Promise<void> {
  await using election = service.election('k');
  await election.inspect(options);
}

/** Further valid options, with which a call that passes the checks ends at once. */
function others(options: readonly string[], option: string): object {
  if (options.includes('sharedCount')) return { sharedCount: '/count', seed: 1 };
  if (!options.includes('timeoutMs')) return {};
  return option === 'signal' ? { timeoutMs: 3 } : { signal: AbortSignal.abort() };
}

describe.each(CALLS)('%s', (_name, options, call) => {
  it('works or is refused for any options', async () => {
    await withHostileValues((value) => outcomeOf(() => call(value as never)));
  });

  it.each(options)('works or names `%s` for any value of it', async (option) => {
    const withOption = (value: unknown): never =>
      ({ ...others(options, option), [option]: value }) as never;
    // Errors of nested options name the nested option.
    const names = option === 'permits' ? [] : [option];
    await withHostileValues((value) => expectNamed(() => call(withOption(value)), names));
  });

  it.each(options)('reads `%s` once, and says so when that throws', async (option) => {
    const cause = new RangeError('thrown by a getter');
    const get = vi.fn(() => {
      throw cause;
    });
    const error = await outcomeOf(() =>
      call(Object.defineProperty({}, option, { get, enumerable: true }) as never),
    );
    expect(error).toMatchObject({ code: 'ZK_LOCK_CONFIG', option, cause });
    expect(get).toHaveBeenCalledOnce();
  });
});

/** Calls with one key or several, and no other argument that could be wrong. */
const KEYED: readonly [name: string, call: (key: never) => unknown][] = [
  ['acquire', (key) => service.acquire(key)],
  ['tryAcquire', (key) => service.tryAcquire(key)],
  ['withLock', (key) => service.withLock(key, guarded)],
  ['acquireUpgradable', (key) => service.acquireUpgradable(key)],
  ['withUpgradableLock', (key) => service.withUpgradableLock(key, guarded)],
  ['acquireAll', (keys) => service.acquireAll(keys)],
  ['acquireAll of one', (key) => service.acquireAll([key])],
  ['acquireAll of one with a mode', (mode) => service.acquireAll([{ key: 'k', mode }])],
  ['tryAcquireAll', (keys) => service.tryAcquireAll(keys)],
  ['withLocks', (keys) => service.withLocks(keys, guarded)],
  ['semaphore', (key) => service.semaphore(key, { permits: 1 })],
  ['election', (key) => service.election(key).close()],
  ['inspect', (key) => service.inspect(key)],
  ['revoke', (key) => service.revoke(key)],
  ['currentLock', (key) => service.currentLock(key)],
  ['runAtMostEvery', (key) => service.runAtMostEvery(key, 1_000, guarded)],
  ['runAtMostEvery with a time', (everyMs) => service.runAtMostEvery('k', everyMs, guarded)],
  ['client.create', (path) => service.client.create(path)],
  ['client.create with data', (data) => service.client.create('/a', data)],
  ['setPermits', (permits) => semaphore().setPermits(permits)],
  ['withLock without a function', (fn) => service.withLock('k', {}, notAFunction(fn))],
  ['withLocks without a function', (fn) => service.withLocks(['k'], notAFunction(fn))],
  ['withPermit without a function', (fn) => semaphore().withPermit({}, notAFunction(fn))],
  ['asLeader without a function', (fn) => asLeader(notAFunction(fn))],
];

function notAFunction(value: unknown): never {
  return (typeof value === 'function' ? undefined : value) as never;
}

async function asLeader(fn: never): Promise<void> {
  await using election = service.election('k');
  await election.asLeader(fn);
}

it.each(KEYED)('%s works or is refused for any first argument', async (_name, call) => {
  await withHostileValues((value) => outcomeOf(() => call(value as never)));
});

const CALLBACKS: readonly [call: string, argument: string, call: (fn: never) => unknown][] = [
  ['session.onState', 'onState', (fn) => service.session.onState(fn)],
  ['session.onState', 'onClosed', (fn) => service.session.onState(() => undefined, fn)],
  ['client.onState', 'onState', (fn) => newClient().onState(fn)],
  ['client.onChange', 'onEvent', (fn) => newClient().onChange('/a', fn)],
  ['election.onTerm', 'onTerm', onTerm],
  ['tree.onChange', 'listener', (fn) => new LockTree(SERVERS).onChange(fn)],
  ['tree.onKey', 'listener', (fn) => new LockTree(SERVERS).onKey(fn)],
  ['onLockEvents', 'holdStart', (fn) => onLockEvents({ holdStart: fn })],
];

async function onTerm(fn: never): Promise<void> {
  await using election = service.election('k');
  election.onTerm(fn);
}

const newClient = (): ZkClient => new TestLocks(SERVERS).client;

it.each(CALLBACKS)('%s refuses a `%s` that is not a function', async (_call, argument, call) => {
  expect(await outcomeOf(() => call(5 as never))).toMatchObject({
    code: 'ZK_LOCK_CONFIG',
    option: argument,
    message: expect.stringContaining('must be a function; got 5. Pass what is to') as unknown,
  });
});

const MODULE_OPTIONS = [
  ...['servers', 'sessionTimeoutMs', 'connectTimeoutMs', 'tickTimeMs', 'root', 'acquireTimeoutMs'],
  ...['dialect', 'application', 'credentials', 'lazy', 'shutdownGraceMs', 'mapErrors'],
];

describe('the options of the module', () => {
  it('work or are refused for any value', async () => {
    for (const value of nastyValues()) await outcomeOf(() => resolveModuleOptions(value));
    for (const value of nastyValues()) await outcomeOf(() => new TestLocks(value as never));
  });

  it.each(MODULE_OPTIONS)('work or name `%s` for any value of it', async (option) => {
    const resolve = (value: unknown): unknown =>
      resolveModuleOptions({ ...SERVERS, [option]: value });
    const names = [option, 'username', 'password'];
    await withHostileValues((value) => expectNamed(() => resolve(value), names));
  });

  it('refuse what would be too large for a request or a resolver', async () => {
    const long = `/${'x'.repeat(5_000)}`;
    const wrong = [
      { root: long },
      { servers: `a:1${long}` },
      { servers: 'a\0b:1' },
      { servers: '\ud800' },
    ];
    for (const options of wrong) {
      const error = await expectNamed(() => resolveModuleOptions({ ...SERVERS, ...options }), []);
      expect(error).toMatchObject({ code: 'ZK_LOCK_CONFIG', option: Object.keys(options)[0] });
      expect(error?.message.length).toBeLessThan(300);
    }
  });
});

it('a grace longer than any timer of Node still works', async () => {
  const options = resolveModuleOptions({ ...SERVERS, shutdownGraceMs: 2 ** 40 });
  const late = new LockService(options);
  late.beforeApplicationShutdown();
  const error = await outcomeOf(() => late.acquire('k', { timeoutMs: 50 }));
  expect(error).toMatchObject({ code: 'ZK_UNAVAILABLE' });
});

it.each<[name: string, trying: (options: never) => Promise<unknown>]>([
  ['tryAcquire', (o) => service.tryAcquire('k', o)],
  ['tryAcquireAll', (o) => service.tryAcquireAll(['k'], o)],
  ['semaphore.tryAcquire', (o) => semaphore().tryAcquire(o)],
])('%s refuses a timeout, because it does not wait', async (_name, trying) => {
  await expect(trying({ timeoutMs: 5_000 } as never)).rejects.toMatchObject({
    code: 'ZK_LOCK_CONFIG',
    option: 'timeoutMs',
  });
});

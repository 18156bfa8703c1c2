import type { ModuleRef } from '@nestjs/core';
import { Locked, OnlyLeader, WithPermit } from 'nestjs-zk-lock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LockService } from '../../libs/nestjs-zk-lock/src/lock.service.js';
import { resolveModuleOptions } from '../../libs/nestjs-zk-lock/src/zk-lock.options.js';
import { nastyValues } from './support/hostile-values.js';
import type { ZkLockError } from '../../libs/zk-client/src/zk-lock-error.js';
import { outcomeOf, withHostileValues } from './support/judge.js';

const method = vi.fn((..._args: unknown[]) => Promise.resolve('ran'));

beforeEach(() => {
  method.mockClear();
});

afterEach(() => {
  expect(method).not.toHaveBeenCalled();
});

/** A service that is not connected. It shuts down when a call waits for longer. */
async function judge(call: (service: LockService) => unknown): Promise<ZkLockError | undefined> {
  const options = resolveModuleOptions({ servers: '127.0.0.1:1', acquireTimeoutMs: 3 });
  const service = new LockService(options);
  const end = setTimeout(() => void service.onApplicationShutdown(), 50);
  try {
    return await outcomeOf(() => call(service));
  } finally {
    clearTimeout(end);
    await service.onApplicationShutdown();
  }
}

type Decorator = (target: object, name: string, descriptor: never) => void;

/** Decorates a method of a new class, and calls it on an object that Nest seems to have built. */
function callDecorated(
  service: LockService,
  decorate: () => Decorator,
  args: readonly unknown[] = [],
): unknown {
  const prototype = {};
  const descriptor = { value: method, configurable: true, writable: true };
  decorate()(prototype, 'run', descriptor as never);
  const instance = Object.create(prototype) as Record<symbol, ModuleRef>;
  const moduleRef = { get: () => service } as unknown as ModuleRef;
  for (const symbol of Object.getOwnPropertySymbols(prototype)) instance[symbol] = moduleRef;
  return (descriptor.value as (...all: unknown[]) => unknown).apply(instance, [...args]);
}

/** Without `onBusy` and `onFollower`, whose functions may throw any error. */
const DECORATORS: readonly [
  name: string,
  options: readonly string[],
  decorate: (key: never, options: never) => Decorator,
  given: object,
][] = [
  ['@Locked', ['mode', 'timeoutMs', 'reentrant', 'release'], Locked, {}],
  ['@WithPermit', ['permits', 'take'], WithPermit, { permits: 2 }],
  ['@OnlyLeader', ['connection'], OnlyLeader as never, {}],
];

describe.each(DECORATORS)('%s', (name, options, decorate, given) => {
  const judgeWith = (own: unknown) =>
    judge((service) => callDecorated(service, () => decorate('k' as never, own as never)));

  it('is refused or waits for any options', async () => {
    await withHostileValues((own) => judgeWith(own));
  });

  it.each(options)('is refused or waits for any value of its option `%s`', async (option) => {
    await withHostileValues((value) => judgeWith({ ...given, [option]: value }));
  });

  it.each(options)('reads its option `%s` once, and says so when that throws', async (option) => {
    const get = vi.fn(() => {
      throw new RangeError('thrown by a getter');
    });
    const own = Object.defineProperty({ ...given }, option, { get, enumerable: true });
    const error = await judgeWith(own);
    expect(error).toMatchObject({ code: 'LOCKED_DECORATOR_INVALID' });
    expect(error?.message).toContain(`\`${option}\``);
    expect(error?.message).toContain(name);
    expect(get).toHaveBeenCalledOnce();
  });
});

/** All three make their keys alike. */
const withKey = (key: unknown, argument?: unknown): Promise<unknown> =>
  judge((service) => callDecorated(service, () => Locked(key as never) as Decorator, [argument]));

it('any key is refused or waits', async () => {
  for (const value of nastyValues()) {
    for (const key of [value, [value], () => value, () => [value]]) await withKey(key);
  }
});

it('a method with a key is refused or waits for any arguments', async () => {
  for (const key of ['k:{0}', 'k:{0.then.key}', 'k:{0.__proto__}']) {
    await withHostileValues((argument) => withKey(key, argument));
  }
});

it.each([
  ['@Locked', 'timeoutMs', (value: unknown) => Locked('k', { timeoutMs: () => value as never })],
  [
    '@WithPermit',
    'take',
    (value: unknown) => WithPermit('k', { permits: 2, take: () => value as never }),
  ],
])('%s is refused or waits, whatever its `%s` function gives', async (_name, _option, decorate) => {
  for (const value of nastyValues()) {
    await judge((service) => callDecorated(service, () => decorate(value) as Decorator));
  }
});

it('refuses an array of keys with a hole in it while the class is defined', async () => {
  const error = await judge((service) =>
    callDecorated(service, () => Locked(new Array<string>(2)) as Decorator),
  );
  expect(error).toMatchObject({ code: 'LOCKED_DECORATOR_INVALID' });
});

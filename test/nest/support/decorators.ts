import type { INestApplication } from '@nestjs/common';
import {
  type Lock,
  type LockService,
  Locked,
  NoCurrentLockError,
  NoCurrentPermitError,
  OnlyLeader,
  type Permit,
  WithPermit,
  currentLock,
  currentPermit,
  getLockServiceToken,
} from 'nestjs-zk-lock';

type OfArguments<T> = (...args: never[]) => T;

/** The options that at least two of the decorators have. */
export interface DecoratorOptions {
  readonly connection?: string;
  /** Ignored for `@OnlyLeader`, which never waits. */
  readonly timeoutMs?: number | OfArguments<number | undefined>;
  /** Sets `onBusy` or `onFollower`. */
  readonly instead?: 'skip' | OfArguments<unknown>;
  /** Used by `@WithPermit` only. */
  readonly permits?: number;
}

/** One of the three decorators, for tests that apply to each. */
export interface Decorator {
  readonly name: '@Locked' | '@WithPermit' | '@OnlyLeader';
  readonly decorate: (
    key: string | OfArguments<string>,
    options?: DecoratorOptions,
  ) => MethodDecorator;
  /** Returns what the running method holds; `noCurrent` is the error if it holds nothing. */
  readonly current: () => Lock | Permit;
  readonly noCurrent: new () => Error;
  /** The code of the error with which a call is refused while another replica is in its way. */
  readonly busyCode: 'LOCK_TIMEOUT' | 'NOT_LEADER';
  /** The mode in the error that reports a loss. */
  readonly mode: 'write' | 'permit';
  /** The number of znodes that an application has while no method is running. */
  readonly nodesAtRest: number;
  /** Makes another application take what calls need, so that they are refused or wait. */
  readonly occupy: (locks: LockService, key: string) => Promise<AsyncDisposable>;
  /** Waits until nothing is in the way of an application's calls. */
  readonly ready: (app: INestApplication, key: string, connection?: string) => Promise<unknown>;
}

const LOCKED: Decorator = {
  name: '@Locked',
  decorate: (key, { instead, timeoutMs, connection } = {}) =>
    Locked(key as string, { onBusy: instead, timeoutMs, connection } as object) as MethodDecorator,
  current: currentLock,
  noCurrent: NoCurrentLockError,
  busyCode: 'LOCK_TIMEOUT',
  mode: 'write',
  nodesAtRest: 0,
  occupy: (locks, key) => locks.acquire(key),
  ready: () => Promise.resolve(),
};

const WITH_PERMIT: Decorator = {
  ...LOCKED,
  name: '@WithPermit',
  decorate: (key, { permits = 1, instead, timeoutMs, connection } = {}) =>
    WithPermit(
      key as string,
      { permits, onBusy: instead, timeoutMs, connection } as object,
    ) as MethodDecorator,
  current: currentPermit,
  noCurrent: NoCurrentPermitError,
  mode: 'permit',
  occupy: (locks, key) => locks.semaphore(key, { permits: 1 }).acquire(),
};

const ONLY_LEADER: Decorator = {
  ...LOCKED,
  name: '@OnlyLeader',
  decorate: (key, { instead, connection } = {}) =>
    OnlyLeader(key as string, { onFollower: instead, connection } as object) as MethodDecorator,
  busyCode: 'NOT_LEADER',
  nodesAtRest: 1,
  occupy: async (locks, key) => {
    const election = locks.election(key);
    await election.whenLeader();
    return election;
  },
  ready: (app, key, connection) =>
    app.get<LockService>(getLockServiceToken(connection)).election(key).whenLeader(),
};

type Named = readonly [name: string, decorator: Decorator];

/** The decorators whose calls wait, and whose keys may depend on arguments. */
export const WAITING: readonly Named[] = [
  [LOCKED.name, LOCKED],
  [WITH_PERMIT.name, WITH_PERMIT],
];

export const DECORATORS: readonly Named[] = [...WAITING, [ONLY_LEADER.name, ONLY_LEADER]];

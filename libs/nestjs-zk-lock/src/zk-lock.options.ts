import type { LocksOptions } from 'zk-locks';
import { checkValue, object, optionsOf, readLocksOptions } from 'zk-locks/framework';

/**
 * Options of `ZkLockModule.forRoot()`. Only `servers` is required.
 *
 * @publicApi
 */
export interface ZkLockModuleOptions extends LocksOptions {
  /**
   * Whether the application starts without waiting for ZooKeeper. Calls that need a lock then wait
   * for the connection within their own `timeoutMs`.
   * @default false: bootstrap waits up to `connectTimeoutMs`, and fails if no server answers
   */
  lazy?: boolean | undefined;
  /**
   * How long holders may continue after the shutdown has begun, in milliseconds. After that, the
   * signals of locks still held abort, and the locks are released.
   * @default 5_000
   */
  shutdownGraceMs?: number | undefined;
  /**
   * Whether lock errors that leave a handler become exceptions of its transport, with the error as
   * `cause`. No message names a key or a znode. Set it to `false` to map the errors in your own
   * filter.
   *
   * - HTTP: 423 with `Retry-After` (the time waited, in seconds, at least 1) for a lock that stayed
   *   busy; 503 with `Retry-After: 1` if too many calls wait or only the leader may run; 503 if
   *   ZooKeeper is unreachable, the lock was lost, the method stopped after `maxHoldMs`, or the
   *   application is shutting down; 499 if the client has left; 500 for all others, which are logged.
   * - GraphQL: the same, under `extensions`.
   * - Others: `RpcException` or `WsException`; the errors of events stay as they are.
   *
   * With several connections, errors of HTTP and GraphQL are mapped unless all connections set
   * `false`. A decorated handler of a Nest 11 gateway or of a hybrid application's microservice
   * follows the connections that its decorators name.
   * @default true
   */
  mapErrors?: boolean | undefined;
}

/**
 * Provides the options for `forRootAsync({ useClass })` and `forRootAsync({ useExisting })`.
 *
 * @publicApi
 */
export interface ZkLockOptionsFactory {
  createZkLockOptions(): Promise<ZkLockModuleOptions> | ZkLockModuleOptions;
}

/** The token of the options of one `ZkLockModule`, which the module does not export. */
export const RESOLVED_OPTIONS = Symbol('nestjs-zk-lock:options');

export interface ResolvedModuleOptions {
  /** Each option is checked separately; combinations are checked when the locks are created. */
  readonly manager: LocksOptions;
  readonly lazy: boolean;
  readonly shutdownGraceMs: number;
  readonly mapErrors: boolean;
}

const SHUTDOWN_GRACE_MS = 5_000;

const OWN = optionsOf('lazy', 'shutdownGraceMs', 'mapErrors');

/** Those of forRoot() have been checked before. */
const RETURNED = object('Return at least { servers } from useFactory or createZkLockOptions().');

const misplaced = {
  problem: 'is not an option of the connection',
  remedy:
    'Pass `isGlobal` and `name` to forRoot(), or next to useFactory, useClass or useExisting, not in the options that these return.',
};

/**
 * Checks the options and fills in the module's own defaults.
 *
 * @throws {ZkLockConfigError} naming the option that is unknown, missing or malformed
 */
export function resolveModuleOptions(given: unknown): ResolvedModuleOptions {
  checkValue('options', given, RETURNED);
  const {
    lazy = false,
    shutdownGraceMs = SHUTDOWN_GRACE_MS,
    mapErrors = true,
    ...manager
  } = readLocksOptions(given as ZkLockModuleOptions, OWN, { isglobal: misplaced, name: misplaced });
  return { manager, lazy, shutdownGraceMs, mapErrors };
}

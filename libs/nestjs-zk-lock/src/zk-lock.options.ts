import type { LocksOptions } from 'zk-locks';
import { optionsOf, readLocksOptions } from 'zk-locks/internal';
import { DEFAULT_SHUTDOWN_GRACE_MS } from './zk-lock.constants.js';

/**
 * What `ZkLockModule.forRoot()` takes. Only `servers` is required.
 *
 * @publicApi
 */
export interface ZkLockModuleOptions extends LocksOptions {
  /**
   * Whether the application starts without waiting for ZooKeeper. Calls that need a lock then wait for
   * the connection, within their own `timeoutMs`.
   * @default false: bootstrap waits up to `connectTimeoutMs` and fails when nothing answers
   */
  lazy?: boolean;
  /**
   * How long holders may go on after the shutdown has begun, in milliseconds. After that, the signals of
   * locks still held abort, and the locks are released.
   * @default 5_000
   */
  shutdownGraceMs?: number;
  /**
   * Whether lock errors that leave a handler become exceptions of its transport, with the error as
   * `cause`. No message names a key or a znode. Set `false` to map the errors in a filter of your own.
   *
   * - HTTP: 423 with `Retry-After` (the time waited, in seconds, at least 1) for a lock that was not
   *   free in time; 503 with `Retry-After: 1` where only the leader may run; 503 where ZooKeeper cannot
   *   be reached, the lock was lost, or the application shuts down; 500 for all others, which are logged.
   * - GraphQL: the same, under `extensions`.
   * - Others: `RpcException` or `WsException`.
   *
   * With several connections, errors of HTTP and GraphQL are mapped unless all connections set `false`.
   * A decorated handler of a gateway or of a hybrid application's microservice follows the connections
   * that its decorators name.
   * @default true
   */
  mapErrors?: boolean;
}

/**
 * What `forRootAsync({ useClass })` and `forRootAsync({ useExisting })` ask for the options.
 *
 * @publicApi
 */
export interface ZkLockOptionsFactory {
  createZkLockOptions(): Promise<ZkLockModuleOptions> | ZkLockModuleOptions;
}

export interface ResolvedModuleOptions {
  /** Checked one by one; together, where the locks are made of them. */
  readonly manager: LocksOptions;
  readonly lazy: boolean;
  readonly shutdownGraceMs: number;
  readonly mapErrors: boolean;
}

const OWN = optionsOf('lazy', 'shutdownGraceMs', 'mapErrors');

const misplaced = {
  problem: 'does not belong to the options of the connection',
  remedy: 'Write it beside useFactory, useClass or useExisting, not in what that returns.',
};

/**
 * Checks the options and fills in the defaults of the module's own.
 *
 * @throws {ZkLockConfigError} naming the option that is unknown, missing or malformed
 */
export function resolveModuleOptions(given: unknown): ResolvedModuleOptions {
  const {
    lazy = false,
    shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS,
    mapErrors = true,
    ...manager
  } = readLocksOptions(given as ZkLockModuleOptions, OWN, { isglobal: misplaced, name: misplaced });
  return { manager, lazy, shutdownGraceMs, mapErrors };
}

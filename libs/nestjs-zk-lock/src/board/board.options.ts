import type { CanActivate, ControllerOptions, ModuleMetadata, Type } from '@nestjs/common';
import { ZkLockConfigError } from 'zk-locks';
import { KnownHostGuard } from './known-host.guard.js';
import { checkOption, checkValue, isArray, optionsOf, readChecked } from 'zk-locks/framework';

/** @publicApi */
export type BoardGuard = Type<CanActivate> | CanActivate;

/**
 * What `ZkLockBoardModule.forRoot()` takes, and what an options factory of `forRootAsync()` returns.
 *
 * @publicApi
 */
export interface ZkLockBoardOptions {
  /**
   * Whether the board is read-only, so that no user can revoke, break, resign or set permits. With `false`, you
   * must also set `actionGuards`.
   * @default true
   */
  readOnly?: boolean | undefined;
  /**
   * The board shows a call as a problem if it has waited for longer than this, in milliseconds.
   * @default 60_000
   */
  longWaitMs?: number | undefined;
  /**
   * The board shows a lock as a problem if it has been held for longer than this, in milliseconds. Leaders may
   * lead for any length of time.
   * @default 600_000
   */
  longHoldMs?: number | undefined;
}

/**
 * The options that shape the board's controller, and must be known before an options factory runs.
 *
 * @publicApi
 */
export interface ZkLockBoardExtras {
  /**
   * Nest guards (classes or objects) that decide who may see the board. With `'none'`, everyone
   * who reaches the application by a name of this computer or one of `hosts` may see it. The board shows
   * keys, host names and labels.
   */
  guards: readonly BoardGuard[] | 'none';
  /**
   * The names by which browsers reach the board, such as `'locks.example.com'`. Add a port to allow only
   * that port. Requests to other names are refused with status 403. `localhost`, 127.0.0.0/8 and `[::1]`
   * are always allowed.
   * @default none with `guards: 'none'`; with guards, any name
   */
  hosts?: readonly string[] | undefined;
  /**
   * Nest guards that decide, in addition to `guards`, who may act. They are asked for each action, and also
   * when the page decides which buttons to show: see `boardActionOf()`. Required with `readOnly: false`.
   */
  actionGuards?: readonly BoardGuard[] | 'none' | undefined;
  /**
   * The path of the board, below the application's global prefix.
   * @default 'locks'
   */
  path?: string | undefined;
  /**
   * The version of the controller, in applications with versions.
   * @default VERSION_NEUTRAL
   */
  version?: ControllerOptions['version'] | undefined;
  /**
   * The `name` of the `ZkLockModule` whose locks are shown.
   * @default the connection without a name
   */
  connection?: string | undefined;
  /** Modules that provide what the guards inject. */
  imports?: ModuleMetadata['imports'] | undefined;
}

/**
 * Provides the options for `forRootAsync({ useClass })` and `forRootAsync({ useExisting })`.
 *
 * @publicApi
 */
export interface ZkLockBoardOptionsFactory {
  createZkLockBoardOptions(): Promise<ZkLockBoardOptions> | ZkLockBoardOptions;
}

export interface ResolvedBoardOptions {
  readonly readOnly: boolean;
  readonly longWaitMs: number;
  readonly longHoldMs: number;
}

const DEFAULTS: ResolvedBoardOptions = { readOnly: true, longWaitMs: 60_000, longHoldMs: 600_000 };

const OPTIONS = optionsOf('readOnly', 'longWaitMs', 'longHoldMs');

const EXTRAS = {
  elsewhere:
    'forRoot() and forRootAsync() themselves, but not the result of a factory, also have guards, hosts, ' +
    'actionGuards, path, version, connection and imports.',
};

/** @throws {ZkLockConfigError} naming the option that is unknown, missing or malformed */
export function resolveBoardOptions(
  given: ZkLockBoardOptions,
  { actionGuards }: Pick<ZkLockBoardExtras, 'actionGuards'>,
): ResolvedBoardOptions {
  const resolved = { ...DEFAULTS, ...readChecked(given, OPTIONS, EXTRAS) };
  if (resolved.readOnly || actionGuards !== undefined) return resolved;
  throw new ZkLockConfigError(
    'actionGuards',
    'is missing, although `readOnly: false` lets the board break locks',
    "Pass guards that admit operators, or 'none' if everyone who sees the board may act.",
  );
}

/** The parts of the board that do not come from an options factory. */
export interface BoardShape {
  readonly path: string;
  readonly version: ControllerOptions['version'];
  readonly connection: string | undefined;
  readonly guards: readonly BoardGuard[];
  readonly actionGuards: readonly BoardGuard[] | undefined;
}

const HOST = /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;

/** @throws {ZkLockConfigError} */
export function readShape({
  path = 'locks',
  version,
  connection,
  guards,
  hosts,
  actionGuards,
}: Partial<ZkLockBoardExtras>): BoardShape {
  const trimmed = typeof path === 'string' ? path.replace(/^\/|\/$/g, '') : path;
  checkValue('path', trimmed, {
    expected: 'a path of letters, digits and .~-_, such as "ops/locks"',
    accepts: (value) => typeof value === 'string' && PATH.test(value),
    remedy: "Leave it out for 'locks'.",
  });
  if (connection !== undefined) checkOption('connection', connection);
  checkGuards('guards', guards, 'who may see the board');
  if (actionGuards !== undefined) checkGuards('actionGuards', actionGuards, 'who may act');
  if (hosts !== undefined) checkHosts(hosts);
  const known = hosts ?? (guards === 'none' ? [] : undefined);
  return {
    path: trimmed,
    version,
    connection,
    guards: [...(known ? [new KnownHostGuard(known)] : []), ...(listOf(guards) ?? [])],
    actionGuards: listOf(actionGuards),
  };
}

const listOf = (guards: readonly BoardGuard[] | 'none' | undefined) =>
  guards === 'none' ? [] : guards;

function checkGuards(name: string, guards: unknown, who: string): void {
  checkValue(name, guards, {
    expected: `an array of Nest guards that decide ${who}, or 'none'`,
    accepts: (value) =>
      value === 'none' || (isArray(value) && value.length > 0 && value.every(isGuard)),
    remedy: `Pass [AdminGuard], or 'none' if everyone who reaches the application may.`,
  });
}

function checkHosts(hosts: unknown): void {
  checkValue('hosts', hosts, {
    expected: 'an array of host names, with or without ports',
    accepts: (value) =>
      isArray(value) && value.every((host) => typeof host === 'string' && HOST.test(host)),
    remedy: "Pass ['locks.example.com'], without https:// and without a path.",
  });
}

function isGuard(value: unknown): boolean {
  const guard: unknown = typeof value === 'function' ? value.prototype : value;
  return typeof (guard as Partial<CanActivate> | null | undefined)?.canActivate === 'function';
}

import type { EmbeddedZooKeeperOptions } from 'zk-embedded';
import type { ZkLockModuleExtras } from '../zk-lock.module-definition.js';
import {
  type ResolvedModuleOptions,
  type ZkLockModuleOptions,
  resolveModuleOptions,
} from '../zk-lock.options.js';

/**
 * What a test may change: the options of `ZkLockModule.forRoot()`, but for those that the embedded
 * server decides about.
 *
 * @publicApi
 */
export interface LockTestingOptions extends Partial<
  Omit<ZkLockModuleOptions, 'servers' | 'lazy' | 'connectTimeoutMs' | 'tickTimeMs'>
> {
  /**
   * How long the server keeps a silent session, in milliseconds, from 400 on.
   *
   * A holder that hears nothing from the server is told about 0.6 to 0.8 of it after its last
   * answer, and a test process that stalls for as long loses its locks. Raise it for machines that
   * do; lower it for tests that wait for such a loss. `loseLocks()` takes no longer with a long one.
   * @default 2000
   */
  sessionTimeoutMs?: number;
}

/**
 * What `createLockTestingModule()` takes.
 *
 * @publicApi
 */
export interface LockTestingModuleOptions
  extends LockTestingOptions, Pick<ZkLockModuleExtras, 'name'> {}

const TICK_TIME_MS = 200;

/**
 * With a heartbeat every sixth of it, a holder is told 1.2 to 1.6 s after the server has gone silent,
 * and no pause of a busy machine that is shorter than that costs it a lock.
 */
const SESSION_TIMEOUT_MS = 2_000;

/** For rivals, which may be asked for while the server is down. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Real servers end at 20 ticks, which would be too short for a test that is stopped in a debugger. */
const MAX_SESSION_TIMEOUT_MS = 0x7fff_ffff;

export const SERVER_OPTIONS: EmbeddedZooKeeperOptions = {
  tickTimeMs: TICK_TIME_MS,
  maxSessionTimeoutMs: MAX_SESSION_TIMEOUT_MS,
  // Replicas and rivals of one test may be many.
  maxClientConnections: 0,
};

/**
 * The options of a `ZkLockModule` on an embedded server: its own, but for what belongs to the server
 * it would use elsewhere, and what the test has asked for.
 *
 * @param own as the module was given them; `servers` may be missing, as it is not used
 * @throws {ZkLockConfigError} naming the option that is unknown or malformed
 */
export function optionsOn(
  connectString: string,
  own: unknown,
  wanted: LockTestingOptions,
): ResolvedModuleOptions {
  if (typeof own !== 'object' || own === null) return resolveModuleOptions(own);
  return resolveModuleOptions({
    ...own,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    ...given(wanted),
    servers: connectString,
    tickTimeMs: TICK_TIME_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    // So that the service is there at once, and can be closed where another provider fails.
    lazy: true,
  });
}

function given(options: LockTestingOptions): LockTestingOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

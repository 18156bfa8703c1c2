import type { EmbeddedZooKeeperOptions } from 'zk-embedded';
import type { ZkLockModuleExtras } from '../zk-lock.module-definition.js';
import {
  type ResolvedModuleOptions,
  type ZkLockModuleOptions,
  resolveModuleOptions,
} from '../zk-lock.options.js';

/**
 * The options that a test can set: those of `ZkLockModule.forRoot()`, except for those that the
 * embedded server determines.
 *
 * @publicApi
 */
export interface LockTestingOptions extends Partial<
  Omit<ZkLockModuleOptions, 'servers' | 'tls' | 'lazy' | 'connectTimeoutMs' | 'tickTimeMs'>
> {
  /**
   * How long the server keeps a silent session, in milliseconds; at least 400.
   *
   * A holder that gets no answer from the server is notified about 0.6 to 0.8 of this time after
   * its last answer, and a test process that stalls for that long loses its locks. Raise it on
   * machines that stall; lower it for tests that wait for such a loss. The duration of
   * `loseLocks()` does not depend on it.
   * @default 2000, and twice `marginMs` in addition
   */
  sessionTimeoutMs?: number | undefined;
}

/**
 * Options of `createLockTestingModule()`.
 *
 * @publicApi
 */
export interface LockTestingModuleOptions
  extends LockTestingOptions, Pick<ZkLockModuleExtras, 'name'> {}

const TICK_TIME_MS = 200;

/**
 * With a heartbeat every tenth of this time, a holder is notified 1.2 to 1.6 s after the server has
 * gone silent, and no shorter pause of a busy machine costs it a lock.
 */
const SESSION_TIMEOUT_MS = 2_000;

/** For rivals, which a test may request while the server is down. */
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Real servers allow at most 20 ticks, which would be too short for a test that is stopped in a
 * debugger.
 */
const MAX_SESSION_TIMEOUT_MS = 0x7fff_ffff;

export const SERVER_OPTIONS: EmbeddedZooKeeperOptions = {
  tickTimeMs: TICK_TIME_MS,
  maxSessionTimeoutMs: MAX_SESSION_TIMEOUT_MS,
  // A test may have many replicas and rivals.
  maxClientConnections: 0,
};

/**
 * The options of a `ZkLockModule` on an embedded server: the module's own, except for those that
 * belong to its usual server, and those that the test has set.
 *
 * @param own the options passed to the module; `servers` may be missing, because it is not used
 * @throws {ZkLockConfigError} naming the option that is unknown or malformed
 */
export function optionsOn(
  connectString: string,
  own: unknown,
  wanted: LockTestingOptions,
): ResolvedModuleOptions {
  if (typeof own !== 'object' || own === null) return resolveModuleOptions(own);
  const options: Partial<ZkLockModuleOptions> = { ...own, ...given(wanted) };
  const { credentials } = options;
  return resolveModuleOptions({
    ...options,
    // The embedded server supports neither TLS nor SASL.
    tls: false,
    ...(credentials && { credentials: { ...credentials, scheme: 'digest' } }),
    sessionTimeoutMs: wanted.sessionTimeoutMs ?? sessionTimeoutWith(options.marginMs),
    servers: connectString,
    tickTimeMs: TICK_TIME_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    // The service then exists immediately, and can be closed if another provider fails.
    lazy: true,
  });
}

/** The margin takes its part of the time in which a holder waits for an answer. */
function sessionTimeoutWith(marginMs: unknown): number {
  return SESSION_TIMEOUT_MS + (Number.isFinite(marginMs) ? 2 * Math.abs(Number(marginMs)) : 0);
}

function given(options: LockTestingOptions): LockTestingOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

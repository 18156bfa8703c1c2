/** The options of one `ZkLockModule`, checked and completed. Not exported from the module. */
export const RESOLVED_OPTIONS = Symbol('nestjs-zk-lock:options');

/**
 * How long `app.close()` lets holders go on before their locks are taken from them, in milliseconds.
 */
export const DEFAULT_SHUTDOWN_GRACE_MS = 5_000;

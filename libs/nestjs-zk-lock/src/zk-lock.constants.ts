/** The options of one `ZkLockModule`, checked and completed. The module does not export them. */
export const RESOLVED_OPTIONS = Symbol('nestjs-zk-lock:options');

/**
 * How long `app.close()` lets holders continue before their locks are taken away, in milliseconds.
 */
export const DEFAULT_SHUTDOWN_GRACE_MS = 5_000;

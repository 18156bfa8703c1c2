/** Marks a method that `@Locked()` wraps; its value lists the definitions, innermost first. */
export const LOCKED_METADATA = Symbol('nestjs-zk-lock:locked');

/** Marks a method that `@OnlyLeader()` wraps; its value lists the definitions, innermost first. */
export const ONLY_LEADER_METADATA = Symbol('nestjs-zk-lock:only-leader');

/** Marks a method that `@WithPermit()` wraps; its value lists the definitions, innermost first. */
export const WITH_PERMIT_METADATA = Symbol('nestjs-zk-lock:with-permit');

/** The options of one `ZkLockModule`, checked and completed. Not exported from the module. */
export const RESOLVED_OPTIONS = Symbol('nestjs-zk-lock:options');

/**
 * How long `app.close()` lets holders go on before their locks are taken from them, in milliseconds.
 */
export const DEFAULT_SHUTDOWN_GRACE_MS = 5_000;

/**
 * Base of every error this library throws on purpose.
 *
 * `code` is stable across versions and safe to branch on; `message` says what happened and what to
 * do about it, and may change; `cause` is the lower-level error, where there is one.
 */
export abstract class ZkLockError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option, connection string or other setting is missing or malformed. Nothing was started. */
export class ZkLockConfigError extends ZkLockError {
  readonly code = 'ZK_LOCK_CONFIG';

  /**
   * @param option the option at fault, as the user spells it (`servers`, `sessionTimeoutMs`, …)
   * @param problem what is wrong with it, as a clause
   * @param remedy what to write instead
   */
  constructor(
    readonly option: string,
    problem: string,
    remedy: string,
    options?: ErrorOptions,
  ) {
    super(`Invalid option \`${option}\`: ${problem}. ${remedy}`, options);
  }
}

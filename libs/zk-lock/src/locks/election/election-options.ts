import { checkOptionNames, checkWaitOptions } from '../queue/wait-options.js';

export interface ElectionOptions {
  /**
   * Says what is led, to people who look at the queue; at most 200 characters, in clear text, so no
   * secrets. Where the election is open already, the label of its first call stays.
   */
  label?: string | undefined;
}

export interface WhenLeaderOptions {
  /** Stops waiting when it aborts; the call then rejects with a {@link LockAbortedError}. */
  signal?: AbortSignal | undefined;
}

/**
 * Refuses what TypeScript would have refused.
 *
 * @throws {ZkLockConfigError}
 */
export function checkElectionOptions(options: ElectionOptions): void {
  checkOptionNames(options, ['label']);
  checkWaitOptions(options);
}

/** @throws {ZkLockConfigError} */
export function checkWhenLeaderOptions(options: WhenLeaderOptions): void {
  checkOptionNames(options, ['signal']);
  checkWaitOptions(options);
}

import { readOptions } from '../given-options.js';
import { checkWaitOptions } from '../queue/wait-options.js';

export interface ElectionOptions {
  /**
   * Says what is led, to people who look at the queue; at most 200 characters, in clear text, so no
   * secrets. Where the election is open already, the label of its first call stays.
   */
  label?: string | undefined;
  /**
   * Stands for it in metrics and traces, as {@link AcquireOptions.pattern}. Where the election is open
   * already, the pattern of its first call stays.
   */
  pattern?: string | undefined;
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
export function readElectionOptions(given: ElectionOptions | null | undefined): ElectionOptions {
  const options = readOptions(given, ['label', 'pattern']);
  checkWaitOptions(options);
  return options;
}

/** @throws {ZkLockConfigError} */
export function readWhenLeaderOptions(
  given: WhenLeaderOptions | null | undefined,
): WhenLeaderOptions {
  const options = readOptions(given, ['signal']);
  checkWaitOptions(options);
  return options;
}

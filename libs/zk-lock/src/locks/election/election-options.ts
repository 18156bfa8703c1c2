import { ZkLockConfigError } from '../../zk-lock-error.js';
import { checkLabel } from '../queue/wait-options.js';

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
  const { label, ...others } = options;
  refuseOthers(others, 'label');
  if (label !== undefined) checkLabel('label', label);
}

/** @throws {ZkLockConfigError} */
export function checkWhenLeaderOptions(options: WhenLeaderOptions): void {
  const { signal, ...others } = options;
  refuseOthers(others, 'signal');
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ZkLockConfigError('signal', 'it is no AbortSignal', 'Pass `controller.signal`.');
  }
}

function refuseOthers(others: object, known: string): void {
  const [unknown] = Object.keys(others);
  if (unknown === undefined) return;
  throw new ZkLockConfigError(unknown, 'there is no such option', `Use ${known}.`);
}

import { UsageError } from './usage-error.js';

/**
 * How long before the lease deadline the command is killed at the latest: the time that a signal takes
 * to arrive on a busy machine.
 */
export const EARLY_MS = 100;

const DEFAULT_MS = 2_000;

/** The fraction of the session timeout of which the guard of a healthy session always knows. */
const LEFT = 0.55;

/**
 * How long a command may take to stop, in milliseconds.
 *
 * A healthy session has at least 0.6 × its timeout − half a tick until its deadline, of which the
 * guard learns up to 0.05 × the timeout later. The command is told this long before the deadline, so
 * the time must be shorter than that.
 *
 * @param givenMs the value of `--kill-after`
 * @throws {UsageError} if the session is too short for it
 */
export function killAfterMs(
  givenMs: number | undefined,
  sessionTimeoutMs: number,
  tickTimeMs: number,
): number {
  const longestMs = Math.floor(LEFT * sessionTimeoutMs - tickTimeMs / 2 - EARLY_MS);
  if (longestMs < 0) {
    throw new UsageError(
      `--session-timeout (${sessionTimeoutMs}ms) is too short for --tick-time (${tickTimeMs}ms): pass a session timeout of at least ${Math.ceil((tickTimeMs / 2 + EARLY_MS) / LEFT)}ms, or correct --tick-time.`,
    );
  }
  if (givenMs === undefined) return Math.min(DEFAULT_MS, Math.floor(longestMs / 2));
  if (givenMs <= longestMs) return givenMs;
  throw new UsageError(
    `--kill-after is ${givenMs}ms: a session of ${sessionTimeoutMs}ms leaves a command at most ${longestMs}ms to stop. Pass less, or a longer --session-timeout.`,
  );
}

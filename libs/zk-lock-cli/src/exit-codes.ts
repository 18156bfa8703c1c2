import { constants } from 'node:os';

/**
 * The exit codes of zk-lock itself: those of sysexits.h, where they fit, and those of timeout(1).
 */
export const ExitCode = {
  ok: 0,
  /** `doctor` has findings, `show` has found nothing, `break` has broken nothing. */
  negative: 1,
  usage: 64,
  /** ZooKeeper could not be reached, or has no majority. */
  unavailable: 69,
  /** The lock was busy; `-E` replaces it. */
  notAcquired: 75,
  /** The lock was lost while the command ran. */
  lost: 76,
  /** ZooKeeper's ACLs refuse what was asked. */
  refused: 77,
  /** `--max-hold` was over. */
  maxHold: 124,
  /** zk-lock itself failed. */
  failed: 125,
  cannotRun: 126,
  notFound: 127,
} as const;

/** The code with which shells report a process that a signal ended: 143 for SIGTERM. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

import type { LastRun } from 'zk-locks';
import type { TreeKey } from 'zk-locks/inspect';
import { formatDuration } from '../duration.js';

/** `died`: nothing says how the run ended, and its lock is not held any more. */
export type JobOutcome = LastRun['outcome'] | 'died';

export function outcomeOf({ outcome }: LastRun, { holders }: TreeKey): JobOutcome {
  return outcome === 'running' && holders.length === 0 ? 'died' : outcome;
}

/** `due in 5m 3s`, or `due since 40s`. */
export function describeDue({ nextDue }: LastRun, now: number): string {
  const ms = nextDue.getTime() - now;
  return ms >= 0 ? `due in ${formatDuration(ms)}` : `due for ${formatDuration(-ms)}`;
}

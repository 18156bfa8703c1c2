import type { LastRun } from 'zk-locks';
import { ageText, type TreeKey } from 'zk-locks/inspect';

/** `died`: the run recorded no outcome, and its lock has no holder, as all its nodes show. */
export type JobOutcome = LastRun['outcome'] | 'died';

export function outcomeOf(
  { outcome }: LastRun,
  { holders, isHidden, unread }: TreeKey,
): JobOutcome {
  const isFree = holders.length === 0 && !isHidden && unread === 0;
  return outcome === 'running' && isFree ? 'died' : outcome;
}

/** `due in 5 min 03 s`, or `due for 40 s`. */
export function describeDue({ nextDue }: LastRun, now: number): string {
  const ms = nextDue.getTime() - now;
  return ms >= 0 ? `due in ${ageText(ms)}` : `due for ${ageText(-ms)}`;
}

import { contenderId } from '../tree/tree-change.js';
import type { TreeContender } from '../tree/tree-key.js';
import type { HistoryGap, PastEvent, PastEventName } from './history.js';

/** One hold of a key, from its grant to its end. Times in milliseconds, by the clock of ZooKeeper. */
export interface Hold {
  readonly contender: TreeContender;
  /** Absent if the hold began before the first look. */
  readonly from?: number;
  /** Absent while the hold lasts. */
  readonly until?: number;
  readonly end?: PastEventName;
}

/**
 * The holds of a key in the order of their beginnings; first those that began before the first look.
 *
 * @param holders the current holders
 */
export function timelineOf(
  events: readonly PastEvent[],
  holders: readonly TreeContender[],
  gaps: readonly HistoryGap[],
): Hold[] {
  const ended: Hold[] = [];
  const open = new Map<string, Hold>();
  for (const { event, id, contender, at, ms, held } of events) {
    if (event === 'granted') open.set(id, { contender, from: at });
    else if (held) {
      const from = open.get(id)?.from ?? (ms === undefined ? undefined : at - ms);
      open.delete(id);
      ended.push({ contender, ...(from !== undefined && { from }), until: at, end: event });
    }
  }
  const lasting = holders.map((contender): Hold => {
    const from = open.get(contenderId(contender))?.from ?? contender.heldSince?.getTime();
    open.delete(contenderId(contender));
    return { contender, ...(from !== undefined && { from }) };
  });
  // Their ends were not seen.
  const unseen = Array.from(open.values(), (hold): Hold => {
    const from = hold.from ?? 0;
    const until = gaps.find((gap) => gap.from >= from)?.from ?? from;
    return { ...hold, until, end: 'gone' };
  });
  return [...ended, ...unseen, ...lasting].sort((a, b) => (a.from ?? 0) - (b.from ?? 0));
}

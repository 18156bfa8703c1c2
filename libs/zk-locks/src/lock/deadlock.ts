import { shortText } from 'zk-client/recipes';
import { nameProcess } from '../process-name.js';
import type { HolderData } from './holder.js';
import { shownText } from '../shown-text.js';

/** One of the calls in a {@link Deadlock}. */
export interface DeadlockedCall {
  /** What its znode says about its process. */
  readonly holder: HolderData;
  /** The key that this call holds and the previous call waits for. */
  readonly holds: string;
  /** The key that this call waits for. */
  readonly waitsFor: string;
  /**
   * The znode by which the call waits, as a path below the root. If the call has given up, its last
   * one.
   */
  readonly node: string;
}

/**
 * Calls that wait for each other: each waits for a lock of the next one, the last for a lock of the
 * first.
 */
export type Deadlock = readonly DeadlockedCall[];

/** The maximum number of calls that a message names. */
const MOST_NAMED = 8;

/**
 * Describes a deadlock as part of a sentence, for errors, logs and tools. One line, whatever the
 * nodes contain.
 */
export function describeDeadlock(deadlock: Deadlock): string {
  const calls = deadlock
    .slice(0, MOST_NAMED)
    .map(
      ({ holder, holds, waitsFor }) =>
        `${nameProcess(holder)} holds ${nameKey(holds)} and waits for ${nameKey(waitsFor)}`,
    );
  const more = deadlock.length > MOST_NAMED ? [`and ${deadlock.length - MOST_NAMED} more`] : [];
  const what = deadlock.length === 1 ? 'deadlock, the call waits for itself' : 'deadlock';
  return `${what}: ${[...calls, ...more].join('; ')}`;
}

const nameKey = (key: string): string => `"${shortText(shownText(key))}"`;

/** What to do about a deadlock, as a sentence. A circle of one is a call that waits for itself. */
export function deadlockRemedy({ length }: Deadlock): string {
  return length === 1
    ? 'Leave out `reentrant: false`, which jobs imply, or release the outer lock first.'
    : 'Take nested keys in one order everywhere, or together with `withLocks()`.';
}

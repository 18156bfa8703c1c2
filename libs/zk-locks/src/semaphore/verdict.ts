/** What a call whose turn it is sees, its leases created, before it has its permits. */
export interface Sight {
  /** The children of the leases' directory. */
  readonly leases: readonly string[];
  readonly permits: number;
  /** Whether its place at the head of the queue is still its own. */
  readonly isQueued: boolean;
}

export type Verdict = 'granted' | 'wait' | 'gone';

/**
 * Whether a call has its permits, by what it sees after it has created its own leases.
 *
 * This alone keeps the promise that never more permits are held than there are, whatever becomes of
 * the queue: of the leases held at any instant, take the one that was created last. Its owner saw a
 * list that shows it, so one that is newer than all of them, and in which no more leases stood than
 * there are permits. That the list shows the own leases is therefore no mere check that they are
 * there: it tells that the list is new enough, also where a server that lags behind has answered.
 * Leases that are not held yet, or any more, are counted too: a mistake can only keep a call out.
 *
 * The queue is for the rest. Only its head has leases that it does not hold yet, so that two calls
 * never wait for each other's; and only the head is woken when a lease comes back.
 */
export function verdict(own: readonly string[], { leases, permits, isQueued }: Sight): Verdict {
  const shown = new Set(leases);
  if (!isQueued || !own.every((lease) => shown.has(lease))) return 'gone';
  return leases.length <= permits ? 'granted' : 'wait';
}

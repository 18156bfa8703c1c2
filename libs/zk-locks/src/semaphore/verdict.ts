/**
 * What a call sees whose turn has come and whose leases are created, but which does not hold its
 * permits yet.
 */
export interface Sight {
  /** The children of the leases' directory. */
  readonly leases: readonly string[];
  readonly permits: number;
  /** Whether its node is still at the head of the queue. */
  readonly isQueued: boolean;
}

export type Verdict = 'granted' | 'wait' | 'gone';

/**
 * Decides whether a call has its permits, from what it sees after it has created its own leases.
 *
 * This alone guarantees that never more permits are held than there are, whatever happens to the
 * queue. Proof: of the leases held at any instant, take the one that was created last. Its owner
 * saw a list that contains it. That list is newer than all of these leases, and contained no more
 * leases than there are permits. So requiring that the list shows the own leases does more than
 * check that they exist: it proves that the list is new enough, even if a lagging server has
 * answered. Leases that are not held yet, or no longer, are counted as well: an error can only keep
 * a call out.
 *
 * The queue serves two other purposes. Only its head has leases that it does not hold yet, so two
 * calls never wait for each other's leases. And only the head is woken when a lease is returned.
 */
export function verdict(own: readonly string[], { leases, permits, isQueued }: Sight): Verdict {
  const shown = new Set(leases);
  if (!isQueued || !own.every((lease) => shown.has(lease))) return 'gone';
  return leases.length <= permits ? 'granted' : 'wait';
}

import {
  countText,
  isElection,
  nameContender as nameOf,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/inspect';

/** `write`, `3 read`, `election`, `2 of 4 permits`. */
export function describeMode(key: TreeKey): string {
  const { kind, holders, permits } = key;
  const [first] = holders;
  if (isElection(key)) return 'election';
  if (kind === 'semaphore') {
    return permits === undefined
      ? countText(holders.length, 'permit')
      : `${holders.length} of ${countText(permits, 'permit')}`;
  }
  if (first === undefined) return '-';
  return holders.length === 1 ? first.mode : `${holders.length} ${first.mode}`;
}

/** A candidate takes the write lock of its key, but did not ask for one: it is shown as an election. */
export function modeOf({ mode, holder }: TreeContender): string {
  return holder?.election ? 'election' : mode;
}

export function kindOf(key: TreeKey): string {
  return isElection(key) ? 'election' : key.kind;
}

/** The contender's name for people. */
export function nameContender(contender: TreeContender): string {
  const name = nameOf(contender);
  return contender.isEphemeral ? name : `${name} (made by hand: no session owns it)`;
}

/** The first holder, and the number of others. */
export function nameHolders({ holders }: TreeKey): string {
  const [first, ...others] = holders;
  if (first === undefined) return '-';
  return nameContender(first) + (others.length > 0 ? ` and ${others.length} more` : '');
}

/**
 * When the oldest holder joined the queue, by ZooKeeper's clock. Undefined if the key is free, or if the
 * node serves several calls.
 */
export function heldSince({ holders }: TreeKey): Date | undefined {
  const single = holders.filter(({ holder }) => !holder?.cohort);
  const times = single.map(({ queuedAt }) => queuedAt.getTime());
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** A contender for programs, without its session, which a client that knows its id could end. */
export function contenderForJson(contender: TreeContender): Record<string, unknown> {
  const { session: _, fencingToken, mode, ...facts } = contender;
  return { mode, ...(mode !== 'permit' && { token: fencingToken }), ...facts };
}

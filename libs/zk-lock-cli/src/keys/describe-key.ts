import {
  countText,
  nameContender as nameOf,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/inspect';

/** `write`, `3 read`, `2 of 4 permits`. */
export function describeMode({ kind, holders, permits }: TreeKey): string {
  const [first] = holders;
  if (kind === 'semaphore') {
    return permits === undefined
      ? countText(holders.length, 'permit')
      : `${holders.length} of ${countText(permits, 'permit')}`;
  }
  if (first === undefined) return '-';
  return holders.length === 1 ? first.mode : `${holders.length} ${first.mode}`;
}

/** Who it is, as one text for people. */
export function nameContender(contender: TreeContender): string {
  const name = nameOf(contender);
  return contender.isEphemeral ? name : `${name} (made by hand: no session owns it)`;
}

/**
 * When its oldest holder got in line, by ZooKeeper's clock; undefined where it is free, and of nodes that
 * serve several calls.
 */
export function heldSince({ holders }: TreeKey): Date | undefined {
  const single = holders.filter(({ holder }) => !holder?.cohort);
  const times = single.map(({ queuedAt }) => queuedAt.getTime());
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** A contender for programs, without its session: who knows that can end it. */
export function contenderForJson(contender: TreeContender): Record<string, unknown> {
  const { session: _, fencingToken, mode, ...facts } = contender;
  return { mode, ...(mode !== 'permit' && { token: fencingToken }), ...facts };
}

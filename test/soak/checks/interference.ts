import type { Deletion, Grant, History } from '../history/history.js';

/**
 * How long after an operator's deletion the former holder may hear of it: ZooKeeper tells everybody
 * at the same time.
 */
const NEWS_MS = 1_000;

/** And for so long a holder that never hears of it may have stayed. */
const UNHEARD_MS = 300;

/** So many bits of a token count the grants under one node. */
const GRANT_BITS = 10n;

/**
 * The moment until which a grant counts. An operator who deletes a holder's node takes the lock away
 * before anybody can be told; from then on nothing is promised to that holder.
 */
export function endOf(grant: Grant, { deletions }: History): number {
  const { heldAt } = grant;
  const taking = deletions.filter((deletion) => tookAway(deletion, grant));
  // A holding may have other nodes than the one that its token is of.
  const taken = taking.find((deletion) => isOf(deletion, grant)) ?? taking[0];
  return taken ? Math.min(heldAt, taken.at) : heldAt;
}

/**
 * Whether an operator had deleted the very node when its turn came, and the news that let it in came
 * before the news of that. Its holder hears of it as any other does, or has left before.
 */
export function isTakenBeforehand(grant: Grant, history: History): boolean {
  return history.deletions.some(
    (deletion) =>
      isOf(deletion, grant) && tookAway(deletion, grant) && deletion.at <= grant.enteredAt,
  );
}

/**
 * Who had left before the news came was not told; then it must have been that very node. Of one that
 * took the place of another in the queue, the token does not tell.
 */
function tookAway(deletion: Deletion, grant: Grant): boolean {
  const { key } = deletion;
  if (key !== grant.key) return false;
  if (grant.told) return isByOperator(grant.told) && isShortlyBefore(deletion, grant.told.at);
  const isItself = isOf(deletion, grant) || (!grant.queued && isOfReplica(deletion, grant));
  return isItself && isShortlyBefore(deletion, grant.heldAt, UNHEARD_MS);
}

/** Where nobody can be told in time: by a deletion, or by a break of a lock that was not given up. */
function isByOperator({ reason }: NonNullable<Grant['told']>): boolean {
  return reason === 'node-deleted' || reason === 'broken';
}

/** Whether the holder was told who has broken its lock, and its node was deleted meanwhile. */
export function isBrokenByForce(grant: Grant, { deletions }: History): boolean {
  return grant.told?.reason === 'broken' && deletions.some((one) => isOf(one, grant));
}

function isOfReplica({ replica }: Deletion, { process }: Grant): boolean {
  return replica !== undefined && process.startsWith(`${replica}.`);
}

function isOf({ key, czxid }: Deletion, grant: Grant): boolean {
  return key === grant.key && czxid !== undefined && czxid === czxidOf(grant);
}

/** Of the node under which it was granted, as its token says. */
export function czxidOf({ token }: Grant): bigint | undefined {
  return token === undefined ? undefined : token >> GRANT_BITS;
}

/** Whether an operator has just deleted nodes of this key. */
export function isMeddledWith(key: string, at: number, { deletions }: History): boolean {
  return deletions.some((deletion) => deletion.key === key && isShortlyBefore(deletion, at));
}

/** The servers delete it between the operator's request and their answer, which may be slow. */
function isShortlyBefore(deletion: Deletion, at: number, withinMs = NEWS_MS): boolean {
  const { at: beganAt, answeredAt = beganAt } = deletion;
  return beganAt <= at && at - answeredAt <= withinMs;
}

export function excludes(one: Grant, other: Grant): boolean {
  if (one.key !== other.key || one.holding === other.holding) return false;
  if (one.access === 'permit' || other.access === 'permit') return false;
  return one.access === 'exclusive' || other.access === 'exclusive';
}

export const byEntrance = (one: { enteredAt: number }, other: { enteredAt: number }): number =>
  one.enteredAt - other.enteredAt;

export function describe({ id, kind, access, key, token }: Grant): string {
  const name = token === undefined ? '' : `, token ${String(token)}`;
  return `${id} (${kind}, ${access}, "${key}"${name})`;
}

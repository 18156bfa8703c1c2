import { isUnder } from '../history/lock-node.js';
import type { Deletion, Grant, History } from '../history/history.js';
import { stalledMs } from './stalls.js';

/**
 * How long after an operator's deletion a holder whose process runs may be told: ZooKeeper notifies
 * all watchers at the same time.
 */
const NEWS_MS = 1_000;

/** A holder that is never told may have stayed for this long, too. */
const UNHEARD_MS = 300;

/**
 * The moment until which a grant counts. An operator that deletes a holder's node takes the lock
 * away before the holder can be told; from then on nothing is promised to that holder.
 */
export function endOf(grant: Grant, history: History): number {
  const { heldAt } = grant;
  const taking = history.deletions.filter((deletion) => tookAway(deletion, grant, history));
  // A holding may have other nodes than the one of its token.
  const taken = taking.find((deletion) => isOf(deletion, grant)) ?? taking[0];
  return taken ? Math.min(heldAt, taken.at) : heldAt;
}

/**
 * Whether an operator had deleted the node before its turn came, and the event that granted the
 * lock came before the event of the deletion. Its holder is told like any other, or has left
 * before.
 */
export function isTakenBeforehand(grant: Grant, history: History): boolean {
  return history.deletions.some(
    (deletion) =>
      isItself(deletion, grant) &&
      tookAway(deletion, grant, history) &&
      deletion.at <= grant.enteredAt,
  );
}

/**
 * A holder that left before the event was not told; then its own node must have been deleted. The
 * token does not show the node of a holder that took another's place in the queue.
 */
function tookAway(deletion: Deletion, grant: Grant, history: History): boolean {
  const { key, replica } = deletion;
  if (key !== grant.key) return false;
  if (grant.told) {
    if (replica !== undefined && !isOfReplica(deletion, grant)) return false;
    // It may find its lease over before it hears that its node is gone.
    const { process, told } = grant;
    const stoodStillMs = stalledMs(history, process, { from: deletion.at, to: told.at });
    const isKnown = isByOperator(told, deletion) || (stoodStillMs > 0 && isOf(deletion, grant));
    return isKnown && isShortlyBefore(deletion, told.at, NEWS_MS + stoodStillMs);
  }
  const withinMs = deletion.isSilent === true ? NEWS_MS : UNHEARD_MS;
  return isItself(deletion, grant) && isShortlyBefore(deletion, grant.heldAt, withinMs);
}

/** Whether an operator deleted its node, at whatever time. */
export function isDeleted(grant: Grant, { deletions }: History): boolean {
  return deletions.some((deletion) => deletion.key === grant.key && isItself(deletion, grant));
}

/** Whether its own node was deleted, as far as can be known: permits have no token. */
function isItself(deletion: Deletion, grant: Grant): boolean {
  const isUnnamed = !grant.queued || grant.token === undefined;
  return isOf(deletion, grant) || (isUnnamed && isOfReplica(deletion, grant));
}

/**
 * Losses of which no holder can be told in time: a deletion, a break of a lock that was not given up, or
 * whatever its process could not hear of.
 */
function isByOperator(
  { reason }: NonNullable<Grant['told']>,
  { isSilent = false }: Deletion,
): boolean {
  return isSilent || reason === 'node-deleted' || reason === 'broken';
}

/** Whether the holder was told of the break, and its node was deleted meanwhile; or it could not be told. */
export function isTakenByForce(grant: Grant, history: History): boolean {
  const { deletions } = history;
  if (grant.told?.reason === 'broken') return deletions.some((one) => isOf(one, grant));
  return deletions.some((one) => one.isSilent === true && tookAway(one, grant, history));
}

function isOfReplica({ replica }: Deletion, { process }: Grant): boolean {
  return replica !== undefined && process.startsWith(`${replica}.`);
}

function isOf({ key, node }: Deletion, grant: Grant): boolean {
  return key === grant.key && node !== undefined && isUnder(node, grant);
}

/** Whether an operator has just deleted nodes of this key. */
export function isMeddledWith(key: string, at: number, { deletions }: History): boolean {
  return deletions.some((deletion) => deletion.key === key && isShortlyBefore(deletion, at));
}

/** The servers delete it between the operator's request and the answer, which may be slow. */
function isShortlyBefore(deletion: Deletion, at: number, withinMs = NEWS_MS): boolean {
  const { at: beganAt, answeredAt = beganAt } = deletion;
  return beganAt <= at && at - answeredAt <= withinMs;
}

export function excludes(one: Grant, other: Grant): boolean {
  if (one.key !== other.key || one.holding === other.holding) return false;
  if (one.access === 'permit' || other.access === 'permit') return false;
  return one.access === 'exclusive' || other.access === 'exclusive';
}

/** The next one that it excludes, whose node was still there: see {@link isTakenBeforehand}. */
export function successorOf(
  grant: Grant,
  sorted: readonly Grant[],
  history: History,
): Grant | undefined {
  return sorted.find(
    (other) =>
      other.enteredAt > grant.enteredAt &&
      excludes(grant, other) &&
      !isTakenBeforehand(other, history),
  );
}

export const byEntrance = (one: { enteredAt: number }, other: { enteredAt: number }): number =>
  one.enteredAt - other.enteredAt;

export function describe({ id, kind, access, key, token }: Grant): string {
  const name = token === undefined ? '' : `, token ${String(token)}`;
  return `${id} (${kind}, ${access}, "${key}"${name})`;
}

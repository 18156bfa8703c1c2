import { isUnder } from '../history/lock-node.js';
import type { Deletion, Grant, History } from '../history/history.js';
import { stalledMs } from './stalls.js';

/**
 * How long after an operator's deletion the holder may be told, if its process is running:
 * ZooKeeper notifies all watchers at the same time.
 */
const NEWS_MS = 1_000;

/** How long a holder that is never told may have stayed. */
const UNHEARD_MS = 300;

/**
 * The time until which a grant counts. If an operator deletes the holder's node, the lock is taken
 * before the holder can be told, and nothing is promised to it from then on.
 */
export function endOf(grant: Grant, history: History): number {
  const { heldAt } = grant;
  const taking = history.deletions.filter((deletion) => tookAway(deletion, grant, history));
  // A holder may have other nodes than that of its token.
  const taken = taking.find((deletion) => isOf(deletion, grant)) ?? taking[0];
  return taken ? Math.min(heldAt, taken.at) : heldAt;
}

/**
 * Whether an operator had deleted the node before its turn, and the event that granted the lock
 * arrived before the event of the deletion. The holder is told like any other, or has left before.
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
 * Whether the deletion took this grant. If the holder left before the event and was not told, its
 * own node must have been deleted. The token does not identify the node of a holder that took
 * another's place in the queue.
 */
function tookAway(deletion: Deletion, grant: Grant, history: History): boolean {
  const { key, replica } = deletion;
  if (key !== grant.key) return false;
  if (grant.told) {
    if (replica !== undefined && !isOfReplica(deletion, grant)) return false;
    // The holder may notice the end of its lease before it is told of the deletion.
    const { process, told } = grant;
    const stalledForMs = stalledMs(history, process, { from: deletion.at, to: told.at });
    const isKnown = isByOperator(told, deletion) || (stalledForMs > 0 && isOf(deletion, grant));
    return isKnown && isShortlyBefore(deletion, told.at, NEWS_MS + stalledForMs);
  }
  const withinMs = deletion.isSilent === true ? NEWS_MS : UNHEARD_MS;
  return isItself(deletion, grant) && isShortlyBefore(deletion, grant.heldAt, withinMs);
}

/** Whether an operator deleted the grant's node at any time. */
export function isDeleted(grant: Grant, { deletions }: History): boolean {
  return deletions.some((deletion) => deletion.key === grant.key && isItself(deletion, grant));
}

/** Whether the grant's own node was deleted, as far as is known: permits have no token. */
function isItself(deletion: Deletion, grant: Grant): boolean {
  const isUnnamed = !grant.queued || grant.token === undefined;
  return isOf(deletion, grant) || (isUnnamed && isOfReplica(deletion, grant));
}

/**
 * Losses of which the holder cannot be told in time: a deletion, a break of a lock that was not
 * given up, or anything that happened while its process could not be told.
 */
function isByOperator(
  { reason }: NonNullable<Grant['told']>,
  { isSilent = false }: Deletion,
): boolean {
  return isSilent || reason === 'node-deleted' || reason === 'broken';
}

/** Whether the lock was broken and its node deleted, or the process could not be told. */
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

/** The servers execute a deletion between the operator's request and the answer. */
function isShortlyBefore(deletion: Deletion, at: number, withinMs = NEWS_MS): boolean {
  const { at: beganAt, answeredAt = beganAt } = deletion;
  return beganAt <= at && at - answeredAt <= withinMs;
}

export function excludes(one: Grant, other: Grant): boolean {
  if (one.key !== other.key || one.holding === other.holding) return false;
  if (one.access === 'permit' || other.access === 'permit') return false;
  return one.access === 'exclusive' || other.access === 'exclusive';
}

/**
 * The next grant that this one excludes and whose node still existed: see {@link
 * isTakenBeforehand}.
 */
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

import type { Grant, History, Stall, Violation } from '../history/history.js';
import { byEntrance, describe, isTakenByForce, successorOf } from './interference.js';

/**
 * A holder must be told of its loss before the next one enters, if its process is running. A lock
 * must not claim to be held after its signal, or not to be held before its signal. Work must not be
 * rejected without a signal.
 */
export function checkNotice(history: History): Violation[] {
  const messages: string[] = [];
  const grants = history.grants.toSorted(byEntrance);
  for (const grant of grants) {
    const { told, untoldAt, rejectedAt, heldAt } = grant;
    const name = describe(grant);
    if (rejectedAt !== undefined) {
      messages.push(`the work of ${name} was rejected, and its signal had not aborted`);
    }
    if (untoldAt !== undefined && !isUncertain(grant, untoldAt, history)) {
      messages.push(`${name} said that it is not held, and its signal had not aborted`);
    }
    if (!told) continue;
    const { at, reason } = told;
    if (heldAt > at) {
      const afterMs = (heldAt - at).toFixed(1);
      messages.push(`${name} said that it is held ${afterMs} ms after its signal had aborted`);
    }
    const next = successorOf(grant, grants, history);
    if (!next || next.enteredAt >= at || isExcused(grant, next, history)) continue;
    const lateMs = (at - next.enteredAt).toFixed(1);
    messages.push(
      `${name} was told of its loss (${reason}) ${lateMs} ms after ${describe(next)} had entered`,
    );
  }
  return messages.map((message) => ({ promise: 'notice', message }));
}

/** How long a lock may be unable to confirm that it is held after the wall clock was set. */
const UNCERTAIN_MS = 2_000;

function isUncertain({ process }: Grant, at: number, { clockChanges }: History): boolean {
  return clockChanges.some(
    ({ process: changed, at: from, uncertainMs = UNCERTAIN_MS }) =>
      changed === process && from <= at && at - from <= uncertainMs,
  );
}

/** The times from the notice of a loss to the next grant, in ms. */
export function marginsOf(history: History): number[] {
  const grants = history.grants.toSorted(byEntrance);
  return grants.flatMap((grant) => {
    const next = grant.told && successorOf(grant, grants, history);
    if (!grant.told || !next || isExcused(grant, next, history)) return [];
    if (grant.told.reason === 'broken') return [];
    return [next.enteredAt - grant.told.at];
  });
}

function isExcused(grant: Grant, next: Grant, history: History): boolean {
  if (grant.told?.reason === 'given-up') return true;
  // An operator took the lock, so its holder could not be told in time.
  if (grant.told?.reason === 'node-deleted' || isTakenByForce(grant, history)) return true;
  return history.stalls.some((stall) => covers(stall, grant, next));
}

/** Whether the process was stalled at a time when it could have been told in time. */
function covers(stall: Stall, grant: Grant, next: Grant): boolean {
  const toldAt = grant.told?.at ?? Infinity;
  return stall.process === grant.process && stall.from <= toldAt && stall.at >= next.enteredAt;
}

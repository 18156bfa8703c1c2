import type { History, Violation } from '../history/history.js';
import { byEntrance, describe, isDeleted, successorOf } from './interference.js';
import { stalledMs } from './stalls.js';

/** Before these losses, a holder with a margin is told that much before the next grant. */
const IN_TIME = ['margin-reached', 'lease-expired'];
/** Clocks run at different rates, and a notice is recorded a moment after the signal. */
const TOLERANCE_MS = 2;
const TOLERANCE = 1e-3;

/** A holder that asked for time to stop must have had it before the next one entered. */
export function checkMargins(history: History): Violation[] {
  const grants = history.grants.toSorted(byEntrance);
  return grants.flatMap((grant) => {
    const { told, marginMs = 0, leftAt = Infinity } = grant;
    if (!told || marginMs === 0 || !IN_TIME.includes(told.reason)) return [];
    const next = successorOf(grant, grants, history);
    if (!next || leftAt <= next.enteredAt || isDeleted(grant, history)) return [];
    const leftMs = next.enteredAt - told.at;
    const missedMs = marginMs * (1 - TOLERANCE) - TOLERANCE_MS - leftMs;
    // If it was told after that, several stalls may have followed each other.
    const [from, to] = [told.at, next.enteredAt].toSorted((a, b) => a - b) as [number, number];
    const span = { from: from - marginMs, to };
    if (missedMs <= 0 || stalledMs(history, grant.process, span) >= missedMs) return [];
    const message = `${describe(grant)} was told of its loss (${told.reason}) ${leftMs.toFixed(1)} ms before ${describe(next)} entered, of ${marginMs} ms that its process had asked for`;
    return [{ promise: 'notice', message }];
  });
}

import type { Grant, History, Violation } from '../history/history.js';
import { byEntrance, describe, isMeddledWith } from './interference.js';

/** The highest token of any exclusive grant of each key, including those of earlier rounds. */
export type Tokens = Map<string, bigint>;

/**
 * Tokens rise from one exclusive grant of a key to the next. A resource that compares them accepts
 * no stale write and refuses no holder.
 *
 * @param highest is updated with the tokens of this history
 */
export function checkFencing(history: History, highest: Tokens): Violation[] {
  return [...fallingTokens(history, highest), ...staleWrites(history), ...refusedHolders(history)];
}

function fallingTokens(history: History, highest: Tokens): Violation[] {
  const violations: Violation[] = [];
  const latest = new Map<string, Grant>();
  for (const grant of history.grants.toSorted(byEntrance)) {
    const { key, token, access, holding } = grant;
    if (access !== 'exclusive' || token === undefined) continue;
    const before = highest.get(key);
    const isSame = latest.get(key)?.holding === holding;
    if (before !== undefined && (isSame ? token < before : token <= before)) {
      const after = latest.has(key)
        ? `after ${describe(latest.get(key)!)}`
        : 'after the last round';
      violations.push({
        promise: 'fencing',
        message: `${describe(grant)} entered ${after}, but ${String(before)} had been given out`,
      });
    }
    if (before === undefined || token > before) highest.set(key, token);
    latest.set(key, grant);
  }
  return violations;
}

function staleWrites({ writes }: History): Violation[] {
  const violations: Violation[] = [];
  const highest: Tokens = new Map();
  for (const { key, token, process, accepted } of writes.toSorted(
    (one, other) => one.at - other.at,
  )) {
    if (!accepted) continue;
    const before = highest.get(key) ?? token;
    if (token < before) {
      violations.push({
        promise: 'fencing',
        message: `a write to "${key}" by ${process} with token ${String(token)} was accepted after one with ${String(before)}`,
      });
    } else highest.set(key, token);
  }
  return violations;
}

function refusedHolders(history: History): Violation[] {
  return history.refusals
    .filter(({ grant, isHeld, at }) => isHeld && !isMeddledWith(grant.key, at, history))
    .map(({ grant }) => ({
      promise: 'fencing',
      message: `a write of ${describe(grant)} was refused, and the lock still said that it is held`,
    }));
}

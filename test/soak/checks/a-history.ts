import type { LockNode } from '../history/lock-node.js';
import type { Grant, History, Violation } from '../history/history.js';
import { check } from './check.js';
import type { Tokens } from './fencing.js';

const terms = { permits: 3, lateMs: 100, handovers: new Map([['cohort', 2]]) };

let numbers = 0;

/** A token: the grant of that index under a node. */
export const tokenOf = (czxid: bigint, index = 0n): bigint => czxid * 1_024n + index;
export const nodeOf = (czxid: bigint, isShared = false): LockNode => ({
  ...{ token: tokenOf(czxid), isShared },
});

/**
 * A writer that entered at 100 and left at 200, unless said otherwise; of its token only the node's
 * part.
 */
export function grant({ index, ...given }: Partial<Grant> & { index?: bigint } = {}): Grant {
  const id = `p#${String(++numbers)}`;
  const whole = {
    process: 'p',
    holding: id,
    key: 'k',
    kind: 'write',
    access: 'exclusive',
  } as const;
  const times = { token: 1n, queued: true, enteredAt: 100, heldAt: 200 };
  const one: Grant = { id, ...whole, ...times, ...given };
  return { ...one, token: one.token === undefined ? undefined : tokenOf(one.token, index) };
}

/** Ten milliseconds from `at` on. */
export const during = (at: number): Partial<Grant> => ({
  enteredAt: at,
  heldAt: at + 10,
});

export const reader = { kind: 'read', access: 'shared' } as const;

export function history(given: Partial<History> = {}): History {
  return {
    ...{
      grants: [],
      waits: [],
      writes: [],
      refusals: [],
      stalls: [],
      clockChanges: [],
      errors: [],
    },
    ...{ deletions: [], breaks: [], expectedErrors: [], deaths: new Map<string, number>() },
    ...given,
  };
}

export function judge(given: Partial<History>, tokens: Tokens = new Map()): string[] {
  return check(history(given), tokens, terms).map(({ promise }: Violation) => promise);
}

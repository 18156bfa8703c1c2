import { describe, expect, it } from 'vitest';
import type { Attempt, Watched } from '../story/users/ledger.js';
import { COUNTERS, PAIR, RELAY, USERS } from '../story/users/paths.js';
import { checkUsers, checkWatches, type UserHistory } from './users.js';

const [COUNTER] = COUNTERS;
const LATE_MS = 100;

function attempt(given: Partial<Attempt>): Attempt {
  return {
    ...{ process: 'p', call: 'add', path: COUNTER, timeoutMs: 1_000 },
    ...{ askedAt: 0, answeredAt: 10, outcome: 'done' },
    ...given,
  };
}

function judge(
  attempts: readonly Attempt[],
  data: Readonly<Record<string, string>>,
  given: Partial<UserHistory> = {},
): string[] {
  const history = { contradictions: [], stalls: [], deaths: new Map<string, number>(), ...given };
  const whole = { attempts, ...history, dataOf: (path: string) => data[path] };
  return checkUsers(whole, LATE_MS).map(({ promise }) => promise);
}

describe('a counter', () => {
  const writes = [
    attempt({ version: 1 }),
    attempt({ version: 2 }),
    attempt({ outcome: 'maybe' }),
    attempt({ outcome: 'refused' }),
  ];

  it.each([
    ['1', ['users']],
    ['2', []],
    ['3', []],
    ['4', ['users']],
  ])('of %s after two writes, and one that may have been done', (value, promises) => {
    expect(judge(writes, { [COUNTER]: value })).toEqual(promises);
  });

  it('has one writer for each version', () => {
    const twice = [attempt({ version: 1 }), attempt({ version: 1, process: 'q' })];
    expect(judge(twice, { [COUNTER]: '2' })).toEqual(['users']);
  });
});

it('finds half of a transaction', () => {
  const both = [attempt({ call: 'add to both', path: PAIR[0] })];
  expect(judge(both, { [PAIR[0]]: '1', [PAIR[1]]: '1' })).toEqual([]);
  expect(judge(both, { [PAIR[0]]: '1', [PAIR[1]]: '0' })).toEqual(['users']);
});

it('finds a znode that two have created, or two have deleted', () => {
  const created = attempt({ call: 'create', path: RELAY });
  const deleted = attempt({ call: 'delete', path: RELAY });
  expect(judge([created], { [RELAY]: '0' })).toEqual([]);
  expect(judge([created, deleted], {})).toEqual([]);
  expect(judge([created, created], { [RELAY]: '0' })).toEqual(['users']);
  expect(judge([created, deleted, deleted], {})).toEqual(['users']);
  expect(judge([created, { ...created, outcome: 'maybe' }, deleted, deleted], {})).toEqual([]);
});

it('finds answers that are late, or never come, unless the process stood still or was killed', () => {
  const late = attempt({ outcome: 'refused', answeredAt: 1_101 });
  expect(judge([late], {})).toEqual(['waiting']);
  expect(judge([late], {}, { stalls: [{ process: 'p', from: 5, at: 7 }] })).toEqual([]);
  const { answeredAt: _answeredAt, ...open } = attempt({ outcome: 'refused' });
  expect(judge([open], {})).toEqual(['waiting']);
  expect(judge([open], {}, { deaths: new Map([['p', 5]]) })).toEqual([]);
});

it('reports what contradicts a promise by itself', () => {
  expect(judge([], {}, { contradictions: ['two sit'] })).toEqual(['users']);
});

it('finds a watch that has not told of the last change', () => {
  const watched = (value: string | undefined, given: Partial<Watched> = {}): Watched => ({
    ...{ process: 'p', path: USERS, isRecursive: true, isOver: false },
    seen: new Map([[COUNTER, value]]),
    ...given,
  });
  const judged = (watch: Watched): number => checkWatches([watch], () => '7').length;
  expect(judged(watched('7'))).toBe(0);
  expect(judged(watched('6'))).toBe(1);
  expect(judged(watched(undefined))).toBe(1);
  expect(judged(watched('6', { isOver: true }))).toBe(0);
});

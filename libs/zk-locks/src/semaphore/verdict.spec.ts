import { expect, it } from 'vitest';
import { verdict, type Verdict } from './verdict.js';

interface Case {
  readonly name: string;
  readonly own?: string[];
  readonly leases: string[];
  readonly permits: number;
  readonly isQueued?: boolean;
  readonly expected: Verdict;
}

it.each<Case>([
  { name: 'alone', leases: ['own'], permits: 1, expected: 'granted' },
  { name: 'with the last free permit', leases: ['a', 'own'], permits: 2, expected: 'granted' },
  { name: 'with one lease too many', leases: ['a', 'b', 'own'], permits: 2, expected: 'wait' },
  { name: 'with no permits at all', leases: ['own'], permits: 0, expected: 'wait' },
  { name: 'with a count below zero', leases: ['own'], permits: -1, expected: 'wait' },
  { name: 'with an unknown lease', leases: ['own', 'x'], permits: 1, expected: 'wait' },
  { name: 'without its lease', leases: ['a'], permits: 2, expected: 'gone' },
  { name: 'without any lease', leases: [], permits: 2, expected: 'gone' },
  {
    name: 'with a part of its leases, as in a list that is too old',
    own: ['own', 'own too'],
    leases: ['own'],
    permits: 2,
    expected: 'gone',
  },
  {
    name: 'with all of its leases',
    own: ['own', 'own too'],
    leases: ['own too', 'a', 'own'],
    permits: 3,
    expected: 'granted',
  },
  {
    name: 'out of the queue, though there are permits',
    leases: ['own'],
    permits: 1,
    isQueued: false,
    expected: 'gone',
  },
])('is $expected $name', ({ own = ['own'], leases, permits, isQueued = true, expected }) => {
  expect(verdict(own, { leases, permits, isQueued })).toBe(expected);
});

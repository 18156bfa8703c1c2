import { describe, expect, it } from 'vitest';
import type { BoardContender, BoardKey, BoardOverview } from '../board-api.js';
import type { BoardState } from '../state/board-state.js';
import { DEFAULT_QUERY } from '../state/route.js';
import { announcementOf } from './announcements.js';

const overview = (known: Partial<BoardOverview> = {}): BoardOverview => ({
  revision: 1,
  now: 0,
  connection: '',
  root: '/locks',
  process: { host: 'h', pid: 1 },
  limits: { longWaitMs: 1, longHoldMs: 1 },
  session: { state: 'connected' },
  servers: [],
  totals: { keys: 0, held: 0, waiting: 0 },
  problems: [],
  totalProblems: 0,
  may: { revoke: false, break: false, setPermits: false, resign: false },
  methods: [],
  ...known,
});

const list = (known: Partial<BoardState> = {}): BoardState => ({
  route: { view: 'keys', query: DEFAULT_QUERY },
  now: 0,
  link: 'live',
  announcement: '',
  showsAllProblems: false,
  showsEvents: false,
  overview: overview(),
  ...known,
});

const found = (total: number): Partial<BoardState> => ({
  route: { view: 'keys', query: { ...DEFAULT_QUERY, filter: 'a' } },
  keys: { revision: 1, total, offset: 0, rows: [] },
});

const heldBy = (
  application?: string,
  known: Partial<BoardKey> = {},
  holding: Partial<BoardContender> = {},
): BoardState => {
  const holder = { node: application, application, isForeign: false, ...holding } as BoardContender;
  return list({
    route: { view: 'key', key: 'k', offset: 0 },
    key: {
      revision: 1,
      key: 'k',
      kind: 'lock',
      path: '',
      holders: application === undefined ? [] : [holder],
      totalHolders: application === undefined ? 0 : 1,
      waiters: [],
      problems: [],
      totalWaiting: 0,
      ...known,
    },
  });
};

const stale = { since: 0, reason: 'refused', isConnected: false };

describe('a screen reader', () => {
  it.each<[string, BoardState, BoardState, string | undefined]>([
    ['that nothing changed', list(), list({ now: 5 }), undefined],
    ['of problems', list(), list({ overview: overview({ totalProblems: 2 }) }), '2 problems.'],
    [
      'that they are gone',
      list({ overview: overview({ totalProblems: 1 }) }),
      list(),
      'No problems.',
    ],
    [
      'of a lost connection',
      list(),
      list({ overview: overview({ stale }) }),
      'No connection to ZooKeeper. The page may be outdated.',
    ],
    [
      'of locks that ZooKeeper hides',
      list(),
      list({ overview: overview({ stale: { ...stale, isConnected: true } }) }),
      'The locks cannot be read. The page may be outdated.',
    ],
    ['that it is back', list({ overview: overview({ stale }) }), list(), 'Up to date again.'],
    ['what a filter finds', list(found(7)), list(found(3)), '3 keys found.'],
    ['of the next holder', heldBy('a'), heldBy('b'), 'Now held by b.'],
    ['of a release', heldBy('a'), heldBy(), 'It is free.'],
    [
      'of a release that leaves no free key',
      heldBy('a'),
      heldBy(undefined, { state: 'refused' }),
      'Its holder is unknown: its directory has nodes for which calls are refused.',
    ],
    ['of the same holder once', heldBy('a'), heldBy('a'), undefined],
    [
      'of the next holder of a single node',
      heldBy('a', {}, { node: 'lock', token: '1' }),
      heldBy('b', {}, { node: 'lock', token: '2' }),
      'Now held by b.',
    ],
    [
      'nothing of a downgrade',
      heldBy('a', {}, { node: 'write', token: '1' }),
      heldBy('a', {}, { node: 'read', token: '1' }),
      undefined,
    ],
    ['of all keys without a filter', list(), list({ keys: found(9).keys }), undefined],
  ])('is told %s', (_what, before, after, text) => {
    expect(announcementOf(before, after)).toBe(text);
  });
});

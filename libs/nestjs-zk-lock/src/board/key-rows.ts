import { sortedInSlices, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import type { BoardKeyRow, BoardKeys, BoardSort } from './board-api.js';
import { holderView, kindOf, type Sight, stateOf } from './contender-view.js';

export const PAGE_ROWS = 100;

const SORTS: readonly string[] = [
  'key',
  'kind',
  'holder',
  'since',
  'waiting',
] satisfies BoardSort[];

export interface KeysQuestion {
  readonly filter: string;
  readonly sort: BoardSort;
  readonly isDescending: boolean;
  readonly busyOnly: boolean;
  /** The prefix of the keys. */
  readonly prefix: string;
  readonly offset: number;
}

/** Reads the query of a browser. Invalid values count as omitted. */
export function readKeysQuestion(query: Readonly<Record<string, unknown>>): KeysQuestion {
  const text = (name: string): string => {
    const value = query[name];
    return typeof value === 'string' ? value : '';
  };
  const sort = text('sort');
  return {
    filter: text('filter').trim().toLowerCase(),
    sort: SORTS.includes(sort) ? (sort as BoardSort) : 'since',
    isDescending: text('order') === 'desc',
    busyOnly: text('busy') === '1',
    prefix: text('prefix'),
    offset: readOffset(query.offset),
  };
}

export function readOffset(value: unknown): number {
  const offset = Number(value);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

/** Rows of keys that have not changed are reused. */
const seen = new WeakMap<TreeKey, BoardKeyRow>();

interface Found {
  readonly key: TreeKey;
  readonly row: BoardKeyRow;
}

/** Yields after each key, and while sorting. */
export function* keyRows(
  keys: ReadonlyMap<string, TreeKey>,
  question: KeysQuestion,
  sight: Sight,
): Generator<undefined, Omit<BoardKeys, 'revision' | 'isReading'>> {
  const { sort, isDescending, offset } = question;
  const found: Found[] = [];
  for (const key of keys.values()) {
    yield;
    if (isFound(key, question)) found.push({ key, row: rowOf(key) });
  }
  const ordered = yield* sortedInSlices(found, (a, b) => compare(sort, isDescending, a.row, b.row));
  const rows = ordered.slice(offset, offset + PAGE_ROWS).map(({ key, row }) => {
    const [first] = key.holders;
    return { ...row, ...(first && { holder: holderView(first, sight) }) };
  });
  return { total: found.length, offset, rows };
}

export function isFound(
  key: TreeKey,
  { filter, busyOnly, prefix }: Pick<KeysQuestion, 'filter' | 'busyOnly' | 'prefix'>,
): boolean {
  if (busyOnly && key.total === 0) return false;
  return key.key.startsWith(prefix) && (filter === '' || matches(key, filter));
}

function rowOf(key: TreeKey): BoardKeyRow {
  const known = seen.get(key);
  if (known) return known;
  const row = newRow(key);
  seen.set(key, row);
  return row;
}

function newRow(key: TreeKey): BoardKeyRow {
  const [first] = key.holders;
  const holder = first && holderView(first, { showsSessions: false });
  const state = stateOf(key);
  return {
    key: key.key,
    kind: kindOf(key),
    ...(holder?.mode && { mode: holder.mode }),
    ...(holder && { holder }),
    ...(holder?.since !== undefined && { since: holder.since }),
    holders: key.total - key.waiting,
    waiting: key.waiting,
    ...(state && { state }),
    ...(key.permits !== undefined && { permits: key.permits }),
  };
}

function matches({ key, holders, waiters }: TreeKey, filter: string): boolean {
  const isIn = (text: string | undefined): boolean => text?.toLowerCase().includes(filter) ?? false;
  const isOf = ({ holder, text }: TreeContender): boolean =>
    holder ? [holder.application, holder.host, holder.label].some(isIn) : isIn(text);
  return isIn(key) || holders.some(isOf) || waiters.some(isOf);
}

/** Keys without the compared value come last, in either order. */
function compare(sort: BoardSort, isDescending: boolean, a: BoardKeyRow, b: BoardKeyRow): number {
  const [left, right] = [valueOf(sort, a), valueOf(sort, b)];
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined) || byText(a.key, b.key);
  }
  const order = typeof left === 'string' ? byText(left, right as string) : left - (right as number);
  return (isDescending ? -order : order) || byText(a.key, b.key);
}

function valueOf(sort: BoardSort, row: BoardKeyRow): string | number | undefined {
  if (sort !== 'holder') return row[sort];
  const { application, host, label } = row.holder ?? {};
  return application ?? host ?? label;
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

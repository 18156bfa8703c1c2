import type { BoardSort } from '../board-api.js';

/** The view shown. It is kept in the hash of the address, so that it can be linked. */
export type Route =
  | { readonly view: 'keys'; readonly query: KeysQuery }
  | { readonly view: 'key'; readonly key: string; readonly offset: number }
  | { readonly view: 'application' };

export interface KeysQuery {
  readonly filter: string;
  readonly sort: BoardSort;
  readonly order: 'asc' | 'desc';
  readonly isBusyOnly: boolean;
  /** The prefix of the keys shown; empty for all. */
  readonly prefix: string;
  /** Whether keys are grouped by prefix. */
  readonly isGrouped: boolean;
  readonly offset: number;
}

/** The oldest holder first: rows then keep their places while other keys come and go. */
export const DEFAULT_QUERY: KeysQuery = {
  filter: '',
  sort: 'since',
  order: 'asc',
  isBusyOnly: false,
  prefix: '',
  isGrouped: false,
  offset: 0,
};

const SORTS: readonly BoardSort[] = ['key', 'kind', 'holder', 'since', 'waiting'];

/** @param hash as in `location.hash`; invalid parts are ignored */
export function routeOf(hash: string): Route {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const key = words.get('key');
  const offset = offsetOf(words);
  if (key !== null) return { view: 'key', key, offset };
  if (words.has('application')) return { view: 'application' };
  const sort = SORTS.find((name) => name === words.get('sort')) ?? DEFAULT_QUERY.sort;
  return {
    view: 'keys',
    query: {
      filter: words.get('filter') ?? '',
      sort,
      order: words.get('order') === 'desc' ? 'desc' : 'asc',
      isBusyOnly: words.get('busy') === '1',
      prefix: words.get('prefix') ?? '',
      isGrouped: words.get('grouped') === '1',
      offset,
    },
  };
}

export function hashOf(route: Route): string {
  if (route.view === 'application') return '#application';
  const words = route.view === 'key' ? wordsOfKey(route) : wordsOfQuery(route.query);
  // Frequent in keys, and allowed in a hash.
  return `#${words.toString().replaceAll('%3A', ':').replaceAll('%2F', '/')}`;
}

/** The query of `GET keys`. */
export function wordsOfQuery(query: KeysQuery): URLSearchParams {
  const words = new URLSearchParams();
  if (query.filter !== '') words.set('filter', query.filter);
  if (query.sort !== DEFAULT_QUERY.sort || query.order !== DEFAULT_QUERY.order) {
    words.set('sort', query.sort);
    words.set('order', query.order);
  }
  if (query.isBusyOnly) words.set('busy', '1');
  if (query.prefix !== '') words.set('prefix', query.prefix);
  if (query.isGrouped) words.set('grouped', '1');
  if (query.offset > 0) words.set('offset', String(query.offset));
  return words;
}

function wordsOfKey({
  key,
  offset,
}: {
  readonly key: string;
  readonly offset: number;
}): URLSearchParams {
  const words = new URLSearchParams({ key });
  if (offset > 0) words.set('offset', String(offset));
  return words;
}

function offsetOf(words: URLSearchParams): number {
  const text = words.get('offset') ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

import { isElection, sortedInSlices, type TreeKey } from 'zk-locks/inspect';
import type { BoardGroup, BoardGroups } from './board-api.js';
import { isFound, type KeysQuestion, PAGE_ROWS } from './key-rows.js';

/** `order:` for `order:7`; the whole key if it has no such part. */
export function prefixOf(key: string): string {
  return /^[^:/]*[:/]/.exec(key)?.[0] ?? key;
}

type Counts = { -readonly [Name in keyof BoardGroup]: BoardGroup[Name] };

/** Groups keys by prefix, the largest groups first. Yields after each key, and while sorting. */
export function* keyGroups(
  keys: ReadonlyMap<string, TreeKey>,
  question: Pick<KeysQuestion, 'filter' | 'busyOnly' | 'offset' | 'prefix'>,
): Generator<undefined, Pick<BoardGroups, 'total' | 'offset' | 'rows'>> {
  const groups = new Map<string, Counts>();
  for (const key of keys.values()) {
    yield;
    if (!isFound(key, question)) continue;
    const prefix = prefixOf(key.key);
    const group = groups.get(prefix) ?? { prefix, keys: 0, busy: 0, waiting: 0 };
    groups.set(prefix, count(group, key));
  }
  const ordered = yield* sortedInSlices(
    [...groups.values()],
    (a, b) => b.keys - a.keys || (a.prefix < b.prefix ? -1 : 1),
  );
  const { offset } = question;
  return { total: ordered.length, offset, rows: ordered.slice(offset, offset + PAGE_ROWS) };
}

function count(group: Counts, key: TreeKey): Counts {
  group.keys++;
  if (group.keys === 1) group.only = key.key;
  else delete group.only;
  if (key.total > 0) group.busy++;
  group.waiting += key.waiting;
  // Candidates wait as long as the leader leads, which is not a problem.
  const since = isElection(key) ? undefined : key.waiters[0]?.queuedAt.getTime();
  if (since !== undefined) group.waitingSince = Math.min(since, group.waitingSince ?? since);
  return group;
}

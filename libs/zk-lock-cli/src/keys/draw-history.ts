import {
  ageText,
  countText,
  type History,
  nameContender,
  type PastEvent,
  shownText,
  timelineOf,
  type TreeKey,
} from 'zk-locks/inspect';

/** The time that is drawn, in milliseconds. */
const SPAN_MS = 60_000;

const LEVELS = ' ▁▂▃▄▅▆▇█';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** How many holders of a key are named: the current ones, and the latest before them. */
const MOST_NAMED = 3;

export interface Canvas {
  /** The only key to draw; undefined for all. */
  readonly only: string | undefined;
  /** By the clock of ZooKeeper, in milliseconds. */
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
}

/** Who has held each key in the latest minute, as letters over time, and the queue below them. */
export function drawKeys(
  history: History,
  keys: ReadonlyMap<string, TreeKey>,
  { only, now, columns, rows }: Canvas,
): string[] {
  const { since = now } = history;
  const busy = [...keys.values()]
    .filter(({ key, total }) => (only === undefined ? total > 0 : key === only))
    .sort((a, b) => b.total - a.total);
  const lines = [
    `The last minute of ${countText(busy.length, 'busy key')}, watched for ${ageText(now - since)}.`,
    'Hand-overs in memory are not seen.',
  ];
  for (const key of busy) {
    const drawn = drawKey(key, history, now, columns);
    if (lines.length + drawn.length > rows - 1) break;
    lines.push(...drawn);
  }
  return lines;
}

function drawKey(key: TreeKey, history: History, now: number, columns: number): string[] {
  const events = history.of(key.key);
  const holds = timelineOf(events, key.holders, history.gaps).filter(
    ({ until = now }) => until >= now - SPAN_MS,
  );
  const names = [...new Set(holds.map(({ contender }) => nameContender(contender)))];
  const letterOf = (name: string): string => LETTERS[names.indexOf(name) % LETTERS.length] ?? '?';
  const latest = new Set([...key.holders.map(nameContender), ...names.toReversed()]);
  const named = [...latest].slice(0, MOST_NAMED);
  const times = Array.from(
    { length: columns },
    (_, index) => now - SPAN_MS + ((index + 1) * SPAN_MS) / columns,
  );
  const held = times.map((at) => {
    const hold = holds.findLast(
      ({ from = 0, until = Infinity }) => from <= at && until > at - SPAN_MS / columns,
    );
    return hold ? letterOf(nameContender(hold.contender)) : '·';
  });
  const queue = times.map((at) => waitingAt(events, at, key.waiting));
  const most = Math.max(1, ...queue);
  const bars = queue.map((count) => LEVELS[Math.ceil((count / most) * 8)]);
  return [
    '',
    `${shownText(key.key)}  ${countText(key.total - key.waiting, 'holder')}, ${key.waiting} waiting`,
    held.join(''),
    bars.join(''),
    ...names.filter((name) => named.includes(name)).map((name) => `  ${letterOf(name)}  ${name}`),
  ];
}

function waitingAt(events: readonly PastEvent[], at: number, waiting: number): number {
  const next = events.findIndex((event) => event.at > at);
  if (next === -1) return waiting;
  return events[next - 1]?.waiting ?? 0;
}

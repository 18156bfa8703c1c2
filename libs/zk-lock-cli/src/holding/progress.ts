import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import type { LockInspection, Locks } from 'zk-locks';
import { shownText } from 'zk-locks/inspect';
import { describeHolding } from '../explain.js';
import { fit } from '../output/columns.js';
import { eraseLine, showLine } from '../output/say.js';
import { understandsCodes } from '../output/terminal.js';
import type { Wanted } from './take.js';

/** Shorter waits show no line. */
const FIRST_MS = 300;
const EVERY_MS = 1_000;

const DEFAULT_WIDTH = 80;

/** The width of a line without the key, up to the time of the hold. */
const BESIDE_KEY = 75;
const LEAST_KEY = 8;

/** Shows on the terminal who holds the lock and how many calls are ahead, until it is disposed. */
export function showProgress(locks: Locks, wanted: Wanted): Disposable {
  // To show the queue of a semaphore, its permits would have to be read first, which is not worth the wait.
  if (!isatty(2) || !understandsCodes() || wanted.mode === 'permit' || wanted.timeoutMs === 0) {
    return { [Symbol.dispose]: () => undefined };
  }
  let isOver = false;
  const show = (what: (width: number) => string): void => {
    const width = widthOfTerminal();
    if (!isOver) showLine(fit(what(width), width));
  };
  const look = async (): Promise<void> => {
    try {
      const inspection = await locks.inspect(wanted.key);
      show((width) => describeWait(inspection, process.pid, width));
    } catch {
      show((width) => `${startOf(wanted.key, width)}; ZooKeeper does not answer`);
    }
    if (!isOver) timer = setTimeout(() => void look(), EVERY_MS);
  };
  let timer = setTimeout(() => void look(), FIRST_MS);
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      clearTimeout(timer);
      eraseLine();
    },
  };
}

/**
 * `waiting for "deploy": 2nd of 7 in the queue; held for 5 min 03 s by ci on build-3 (pid 42)`. A long key is cut
 * so that the time fits into the line.
 */
export function describeWait(
  { key, holders, waiters, total }: Pick<LockInspection, 'key' | 'holders' | 'waiters' | 'total'>,
  pid: number,
  width: number,
  now = Date.now(),
): string {
  const own = waiters.findIndex(({ holder }) => holder?.pid === pid && holder.host === hostname());
  const waiting = total - holders.length;
  // Of very many holders, only some are read.
  const areMany = waiters.length === 0 && waiting > 0;
  const behind = own === -1 ? waiting : `${ordinal(own + 1)} of ${waiting}`;
  const place = areMany ? 'in the queue' : `${behind} in the queue`;
  const [first] = holders;
  const more = areMany ? 'many' : holders.length - 1;
  const others = holders.length > 1 ? ` with ${more} more` : '';
  const who = first ? `; held${others} ${describeHolding(first.holder, first.queuedAt, now)}` : '';
  return `${startOf(key, width)}: ${place}${who}`;
}

function startOf(key: string, width: number): string {
  return `zk-lock: waiting for "${fit(shownText(key), Math.max(LEAST_KEY, width - BESIDE_KEY))}"`;
}

function ordinal(number: number): string {
  const teen = number % 100 > 10 && number % 100 < 14;
  const suffix = teen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${suffix}`;
}

function widthOfTerminal(): number {
  return process.stderr.columns || DEFAULT_WIDTH;
}

import { performance, setImmediate } from 'zk-client/recipes';

/** How long all such work together may occupy one turn of the event loop, in milliseconds. */
const TURN_MS = 10;

interface Turn {
  /** When the work in this turn has to pause; undefined before it has begun. */
  pauseAt: number | undefined;
  /** The slices that have to wait for a later turn, because this one has no time left. */
  line: (() => void)[];
}

/** The state that all such work in one event loop shares. */
export const turn: Turn = { pauseAt: undefined, line: [] };

/** Whether there is time left in this turn of the event loop. */
function hasTime(): boolean {
  if (turn.pauseAt === undefined) {
    turn.pauseAt = performance.now() + TURN_MS;
    setImmediate(goOn);
  }
  return performance.now() < turn.pauseAt;
}

/** The first in the line gets the next turn, so that short work does not wait for all long work. */
function goOn(): void {
  turn.pauseAt = undefined;
  turn.line.shift()?.();
}

/**
 * Runs long work without blocking the event loop: it pauses at a `yield` once such work has used up
 * its time in this turn. The work between two yields should take far less than a millisecond.
 */
export async function inSlices<T>(work: Generator<unknown, T>): Promise<T> {
  for (;;) {
    while (!hasTime()) await new Promise<void>((resolve) => turn.line.push(resolve));
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs it in this turn of the event loop. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const RUN_LENGTH = 500;

/** Like `forEach`, in slices. */
export function* forEachInSlices<T>(
  items: readonly T[],
  visit: (item: T) => void,
): Generator<undefined, void> {
  for (let from = 0; from < items.length; from += RUN_LENGTH) {
    items.slice(from, from + RUN_LENGTH).forEach(visit);
    yield;
  }
}

/** Like `find`, in slices. */
export function* findInSlices<T>(
  items: readonly T[],
  matches: (item: T) => boolean,
): Generator<undefined, T | undefined> {
  for (let from = 0; from < items.length; from += RUN_LENGTH) {
    const found = items.slice(from, from + RUN_LENGTH).find(matches);
    if (found !== undefined) return found;
    yield;
  }
  return undefined;
}

/** Like `toSorted`, in slices. */
export function* sortedInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += RUN_LENGTH) {
    runs.push(items.slice(from, from + RUN_LENGTH).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, T[]> {
  const merged: T[] = [];
  let at = 0;
  for (const item of left) {
    for (; at < right.length && compare(right[at] as T, item) < 0; at++)
      merged.push(right[at] as T);
    merged.push(item);
    if (merged.length % RUN_LENGTH === 0) yield;
  }
  return [...merged, ...right.slice(at)];
}

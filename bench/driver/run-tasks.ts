import { setTimeout as sleep } from 'node:timers/promises';
import { bucketOf } from './buckets.js';
import { byMonotonicClock } from './monotonic.js';
import type { Locksmith, Release } from './locksmith.js';
import type { Counts, Keys, Outcome, Work } from './protocol.js';

/** In mixed work, one of this many cycles is a write. */
const READS_PER_WRITE = 20;

export interface Plan {
  readonly work: Work;
  readonly keys: Keys;
  readonly tasks: number;
  readonly seconds: number;
  /** The name of the keys; the same name means the same keys. */
  readonly name: string;
  /** Pause of each task before its next cycle; 0 for no pause. */
  readonly pauseMs: number;
  /**
   * The mean time for which each lock is held; 0 to release it at once. Otherwise pauses and holds
   * are random, in whole milliseconds up to twice the mean.
   */
  readonly holdMs?: number;
}

/** Runs tasks, each of which repeats its cycle until the time is over. */
export async function runTasks(locksmith: Locksmith, plan: Plan): Promise<Outcome> {
  const { tasks, name, work } = plan;
  const { pauseMs, holdMs = 0 } = plan;
  const pause = (): number => (holdMs > 0 ? upToTwice(pauseMs) : pauseMs);
  const isOneLine = plan.keys === 'one' && work === 'write';
  const holder = work === 'try' ? await locksmith.take(keyOf(plan, 0), 'write') : undefined;
  const acquire: number[] = [];
  const cycle: number[] = [];
  const grants: number[] = [];
  const endsAt = performance.now() + plan.seconds * 1_000;

  async function task(number: number): Promise<number> {
    const key = keyOf(plan, number);
    let inTime = 0;
    // Without this pause, all tasks would arrive together at first.
    if (holdMs > 0) await sleep(pause());
    for (let turn = number; ; turn++) {
      const askedAt = performance.now();
      if (askedAt >= endsAt) return inTime;
      const release = await take(locksmith, key, work, turn);
      const heldAt = performance.now();
      if (isOneLine) grants.push(heldAt);
      if (holdMs > 0) await sleep(upToTwice(holdMs));
      const releaseAt = performance.now();
      await release?.();
      const releasedAt = performance.now();
      acquire.push(heldAt - askedAt);
      cycle.push(releasedAt - releaseAt + heldAt - askedAt);
      if (releasedAt <= endsAt) inTime++;
      if (pauseMs > 0) await sleep(pause());
    }
  }

  try {
    const cycles = await Promise.all(Array.from({ length: tasks }, (_, number) => task(number)));
    const handOver = grants.slice(1).map((grant, index) => grant - (grants[index] ?? NaN));
    return {
      ...{ cycles, acquire: count(acquire), cycle: count(cycle), handOver: count(handOver) },
      ...(isOneLine && { grants: byMonotonicClock(grants) }),
    };
  } catch (error) {
    throw new Error(`${work} ${name}`, { cause: error });
  } finally {
    await holder?.();
  }
}

/** A random integer with this mean. */
function upToTwice(mean: number): number {
  return Math.floor(Math.random() * (2 * mean + 1));
}

async function take(
  locksmith: Locksmith,
  key: string,
  work: Work,
  turn: number,
): Promise<Release | undefined> {
  if (work === 'write') return locksmith.take(key, 'write');
  if (work === 'mixed') {
    return locksmith.take(key, turn % READS_PER_WRITE === 0 ? 'write' : 'read');
  }
  const release = await locksmith.tryTake?.(key);
  if (release) throw new Error(`${key} was granted to two tasks`);
  return undefined;
}

function keyOf({ keys, name }: Plan, task: number): string {
  return keys === 'own' ? `${name}-${task}` : name;
}

function count(values: readonly number[]): Counts {
  const counts: Counts = {};
  for (const value of values) {
    const bucket = bucketOf(value);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

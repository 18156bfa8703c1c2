import v8 from 'node:v8';
import { Locks } from 'zk-locks';
import { World } from '../world/world.js';

/** The memory of the simulator's process between two stories. */
export interface Sample {
  /** The number of stories played so far. */
  readonly stories: number;
  readonly heapBytes: number;
  /** The number of live objects that belong to past stories, by class. */
  readonly live: Readonly<Record<string, number>>;
}

/** An allowance for compiled code, and for what Node retains for a while. */
const ALLOWED_BYTES = 32e6;
/** The last story may still be reachable. */
const ALLOWED_LIVE = 20;

/** Counts what is left after a garbage collection. */
export function takeSample(stories: number): Sample {
  const live = {
    worlds: v8.queryObjects(World, { format: 'count' }),
    locks: v8.queryObjects(Locks, { format: 'count' }),
  };
  return { stories, heapBytes: process.memoryUsage().heapUsed, live };
}

/** Reports whether past stories are still in memory; undefined if they are not. */
export function growthOf(first: Sample, last: Sample): string | undefined {
  const stories = last.stories - first.stories;
  for (const [what, count] of Object.entries(last.live)) {
    const before = first.live[what] ?? 0;
    if (count > before + ALLOWED_LIVE) {
      return `${count} ${what} live after ${stories} stories more, in place of ${before}`;
    }
  }
  const bytes = last.heapBytes - first.heapBytes;
  if (bytes <= ALLOWED_BYTES) return undefined;
  return `the heap has grown by ${(bytes / 1e6).toFixed(0)} MB in ${stories} stories`;
}

import v8 from 'node:v8';
import { Locks } from 'zk-locks';
import { World } from '../world/world.js';

/** What the simulator's process has in its memory between two stories. */
export interface Sample {
  /** Stories that were played before. */
  readonly stories: number;
  readonly heapBytes: number;
  /** Objects of stories that are over. */
  readonly live: Readonly<Record<string, number>>;
}

/** What grows with the code that has run, and with what Node keeps for a while. */
const ALLOWED_BYTES = 32e6;
/** The last story may still be reachable. */
const ALLOWED_LIVE = 20;

/** Collects garbage, and looks what is left. */
export function takeSample(stories: number): Sample {
  const live = {
    worlds: v8.queryObjects(World, { format: 'count' }),
    locks: v8.queryObjects(Locks, { format: 'count' }),
  };
  return { stories, heapBytes: process.memoryUsage().heapUsed, live };
}

/** Stories that are over have to be forgotten; undefined where they are. */
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

import type { DeadlockReport } from '../inspection/deadlocks.js';
import { WaitGraph } from '../inspection/deadlock-circle.js';
import { describeCircle, placesOf, SeenCall } from '../inspection/deadlocks.js';
import { type Folder, MOST_READ } from './tree-key.js';

/** The maximum number of calls with locks that are examined. */
const MOST_CALLS = 1_000;

/**
 * The waiting calls of a queue that hold locks. A queue that has not changed is the same object.
 */
const known = new WeakMap<Folder, readonly SeenCall[]>();

/**
 * Finds circles of calls that wait for each other.
 *
 * @param queues of keys, by the names of their directories, all as they were at one moment
 */
export function deadlocksIn(
  queues: Iterable<readonly [segment: string, queue: Folder]>,
): Omit<DeadlockReport, 'unknown'> {
  const calls: SeenCall[] = [];
  for (const [segment, queue] of queues) {
    if (calls.length > MOST_CALLS) break;
    const found = known.get(queue) ?? callsIn(segment, queue);
    known.set(queue, found);
    calls.push(...found.slice(0, MOST_CALLS + 1 - calls.length));
  }
  const isCut = calls.length > MOST_CALLS;
  const circles = new WaitGraph(calls.slice(0, MOST_CALLS)).circles();
  return { deadlocks: circles.map(describeCircle), ...(isCut && { isCut }) };
}

function callsIn(segment: string, { nodes, contenders }: Folder): readonly SeenCall[] {
  const isNested = [...contenders.values()].some(({ contender }) => contender.holder?.holds);
  if (!isNested) return [];
  const places = placesOf(nodes.slice(0, MOST_READ));
  const [first] = places.values();
  return [...places.values()].flatMap((place) => {
    const holder = contenders.get(place.name)?.contender.holder;
    if (!first || place.reach < first.sequence || !holder?.holds) return [];
    return [new SeenCall({ segment, places }, place, holder, holder.holds)];
  });
}

import type { Deadlock } from '../lock-errors.js';
import { WaitGraph } from '../inspection/deadlock-circle.js';
import { describeCircle, placesOf, SeenCall } from '../inspection/deadlocks.js';
import { parseHolderData } from '../queue/holder-data.js';
import type { Folder } from './tree-key.js';

/** The most calls with locks that are looked at. */
const MOST_CALLS = 1_000;

/**
 * The circles of calls that wait for each other.
 *
 * @param queues of keys, by the names of their directories, all as they were at one moment
 */
export function deadlocksIn(
  queues: Iterable<readonly [segment: string, queue: Folder]>,
): Deadlock[] {
  const calls: SeenCall[] = [];
  for (const [segment, { queue, contents }] of queues) {
    const places = placesOf(queue.nodes);
    const [first] = places.values();
    for (const place of places.values()) {
      if (!first || place.reach < first.sequence) continue;
      const content = contents.get(place.name);
      const holder = content && parseHolderData(content.data);
      if (!holder?.holds) continue;
      calls.push(new SeenCall({ segment, places }, place, holder, holder.holds));
      if (calls.length === MOST_CALLS) return circlesOf(calls);
    }
  }
  return circlesOf(calls);
}

function circlesOf(calls: readonly SeenCall[]): Deadlock[] {
  return new WaitGraph(calls).circles().map(describeCircle);
}

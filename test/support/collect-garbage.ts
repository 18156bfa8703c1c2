import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitFor } from './wait-for.js';

setFlagsFromString('--expose-gc');

export const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Waits until no more than `atMost` of the objects are in memory. A single collection does not always
 * find all objects that are no longer referenced.
 */
export async function untilCollected(
  objects: readonly WeakRef<object>[],
  atMost = 0,
): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    // `deref()` keeps an object until the end of the turn.
    await nextTurn();
    collectGarbage();
    return objects.filter((object) => object.deref() !== undefined).length <= atMost;
  };
  await waitFor(isDone, { what: `all but ${atMost} of ${objects.length} objects to be collected` });
}

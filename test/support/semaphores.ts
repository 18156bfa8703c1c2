import type { LocksOptions } from 'zk-locks';
import type { Semaphore } from '../../libs/zk-locks/src/semaphore/semaphore.js';
import type { SemaphoreOptions } from '../../libs/zk-locks/src/options/permit-options.js';
import type { TestLocks } from './locks.js';
import { inOrder, openPlace, type Place } from './place.js';
import { waitFor } from './wait-for.js';

/** A root for this test alone, with the directories of the one semaphore `k` that the test uses. */
export interface SemaphorePlace extends Omit<Place, 'remove'> {
  /** The names of the leases, in order. */
  leases(): Promise<string[]>;
  /** Resolves once there are this many leases, including those of a waiting call. */
  leased(count: number): Promise<void>;
  /** Resolves once the queue is empty and no lease is left. */
  empty(): Promise<void>;
  /** Deletes a node below the directory of the semaphore, as an operator does. */
  remove(part: 'locks' | 'leases', name: string): Promise<void>;
  /** Opens a session, and returns its locks and the semaphore. */
  join(
    permits: SemaphoreOptions['permits'],
    options?: Partial<LocksOptions>,
  ): Promise<[Semaphore, TestLocks]>;
}

/** Creates a root. The test fails if a node is left there. */
export async function openSemaphorePlace(): Promise<SemaphorePlace> {
  const place = await openPlace();
  const { directory, inspector } = place;
  const list = async (part: string): Promise<string[]> =>
    inOrder(await inspector.childrenIfAny(`${directory}/${part}`));
  const reach = async (part: string, count: number): Promise<void> => {
    await waitFor(async () => (await list(part)).length === count, {
      what: `${count} nodes in ${part}`,
    });
  };
  return {
    ...place,
    queue: () => list('locks'),
    leases: () => list('leases'),
    queued: (count) => reach('locks', count),
    leased: (count) => reach('leases', count),
    empty: async () => {
      await reach('leases', 0);
      await reach('locks', 0);
    },
    remove: (part, name) => inspector.delete(`${directory}/${part}/${name}`),
    join: async (permits, options) => {
      const locks = await place.open(options);
      return [locks.semaphore('k', { permits }), locks];
    },
  };
}

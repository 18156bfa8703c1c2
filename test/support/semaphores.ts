import type { InspectClient } from './inspect-client.js';
import { lockNodes, openInspector, ownRoot } from './locks.js';
import { waitFor } from './wait-for.js';

/** A root of the test's own, with the directories of the one semaphore that the test uses. */
export interface SemaphorePlace {
  readonly root: string;
  /** Of the key `k`. */
  readonly directory: string;
  readonly inspector: InspectClient;
  /** The names in the queue, in order. */
  queue(): Promise<string[]>;
  /** The names of the leases, in order. */
  leases(): Promise<string[]>;
  /** Resolves once there are so many in the queue. */
  queued(count: number): Promise<void>;
  /** Resolves once there are so many leases, those of a call that waits for others among them. */
  leased(count: number): Promise<void>;
  /** Resolves once nobody queues up and no lease is left. */
  empty(): Promise<void>;
}

/** When the test is over, nobody may have left a node there. */
export async function openSemaphorePlace(): Promise<SemaphorePlace> {
  const root = ownRoot();
  const directory = `${root}/k`;
  const inspector = await openInspector();
  const list = async (part: string): Promise<string[]> => {
    const names = await lockNodes(inspector, `${directory}/${part}`);
    return names.toSorted((a, b) => sequence(a) - sequence(b));
  };
  const reach = async (part: string, count: number): Promise<void> => {
    await waitFor(async () => (await list(part)).length === count, {
      what: `${count} nodes in ${part}`,
    });
  };
  return {
    root,
    directory,
    inspector,
    queue: () => list('locks'),
    leases: () => list('leases'),
    queued: (count) => reach('locks', count),
    leased: (count) => reach('leases', count),
    empty: async () => {
      await reach('leases', 0);
      await reach('locks', 0);
    },
  };
}

function sequence(name: string): number {
  return Number(/\d{10}$/.exec(name)?.[0]);
}

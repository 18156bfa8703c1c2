import { onTestFinished } from 'vitest';
import { openInspector, ownRoot } from '../../support/locks.js';
import { waitFor } from '../../support/wait-for.js';
import type { InspectClient } from '../../support/inspect-client.js';

/** A root of the test's own, with the directory of the one key that the test uses. */
export interface Place {
  readonly root: string;
  /** Of the key `k`. */
  readonly directory: string;
  readonly inspector: InspectClient;
  /** The names in the queue, in order. */
  queue(): Promise<string[]>;
  /** Resolves once there are so many in the queue. */
  queued(count: number): Promise<void>;
}

/** When the test is over, nobody may have left a lock node there, of whatever dialect. */
export async function openPlace(): Promise<Place> {
  const root = ownRoot();
  const directory = `${root}/k`;
  const inspector = await openInspector();
  const queue = async (): Promise<string[]> => {
    const names = await inspector.childrenIfAny(directory);
    return names.toSorted((a, b) => sequence(a) - sequence(b));
  };
  onTestFinished(async () => {
    const left = await queue();
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  });
  const queued = async (count: number): Promise<void> => {
    await waitFor(async () => (await queue()).length === count, { what: `${count} in the queue` });
  };
  return { root, directory, inspector, queue, queued };
}

/**
 * As {@link openPlace}, with a persistent directory. kazoo makes sure of the directory and then creates
 * its node: it fails with `NoNodeError` where ZooKeeper removes an empty container in between.
 */
export async function openLastingPlace(): Promise<Place> {
  const place = await openPlace();
  await place.inspector.create(place.root);
  await place.inspector.create(place.directory);
  return place;
}

function sequence(name: string): number {
  return Number(/\d{10}$/.exec(name)?.[0]);
}

import type { LocksOptions } from 'zk-locks';
import type { FaultProxy } from './fault-proxy.js';
import type { InspectClient } from './inspect-client.js';
import { openInspector, openLocks, ownRoot, type TestLocks } from './locks.js';
import { openProxy } from './open-proxy.js';
import { waitFor } from './wait-for.js';

/** A root for this test alone, with the directory of the one key that the test uses. */
export interface Place {
  readonly root: string;
  /** The directory of the key `k`. */
  readonly directory: string;
  readonly inspector: InspectClient;
  /** The names in the queue, in order. */
  queue(): Promise<string[]>;
  /** Resolves once the queue has this many nodes. */
  queued(count: number): Promise<void>;
  /** Deletes a node of the queue as an operator would; by default, the first one. */
  remove(name?: string): Promise<void>;
  /** Opens locks in this root with their own session. */
  open(options?: Partial<LocksOptions>): Promise<TestLocks>;
}

/** Two sessions in one root, like those of two processes. */
export interface SharedPlace extends Place {
  readonly locks: TestLocks;
  readonly others: TestLocks;
}

/** Creates a root. The test fails if a lock node of any dialect is left there. */
export async function openPlace(): Promise<Place> {
  const root = ownRoot();
  const directory = `${root}/k`;
  const inspector = await openInspector();
  const queue = async (): Promise<string[]> => inOrder(await inspector.childrenIfAny(directory));
  return {
    ...{ root, directory, inspector, queue },
    queued: async (count) => {
      await waitFor(async () => (await queue()).length === count, {
        what: `${count} in the queue`,
      });
    },
    remove: async (name) => inspector.delete(`${directory}/${name ?? (await queue())[0]!}`),
    open: (options) => openLocks({ root, ...options }),
  };
}

/**
 * Like {@link openPlace}, with a persistent directory. kazoo ensures that the directory exists and
 * then creates its node: it fails with `NoNodeError` if ZooKeeper removes an empty container in
 * between.
 */
export async function openLastingPlace(): Promise<Place> {
  const place = await openPlace();
  await makeLasting(place);
  return place;
}

/**
 * Creates the key's directory as a persistent node, with the directories that other libraries
 * create in it: the server would remove an empty container.
 */
export async function makeLasting(
  { root, directory, inspector }: Pick<Place, 'root' | 'directory' | 'inspector'>,
  ...inIt: readonly string[]
): Promise<void> {
  const paths = [root, directory, ...inIt.map((name) => `${directory}/${name}`)];
  for (const path of paths) await inspector.create(path);
}

/** A root with two sessions that have the same options. */
export async function openTwo(options: Partial<LocksOptions> = {}): Promise<SharedPlace> {
  const place = await openPlace();
  return { ...place, locks: await place.open(options), others: await place.open(options) };
}

/** A root with two sessions: the first one has the given options and a proxy. */
export async function openBehindProxy(
  options: Partial<LocksOptions> = {},
): Promise<SharedPlace & { readonly proxy: FaultProxy }> {
  const place = await openPlace();
  const proxy = await openProxy();
  const locks = await place.open({ servers: proxy.connectString, ...options });
  return { ...place, proxy, locks, others: await place.open() };
}

/** Names of sequential nodes in the order of their numbers. */
export function inOrder(names: readonly string[]): string[] {
  const sequence = (name: string): number => Number(/\d{10}$/.exec(name)?.[0]);
  return names.toSorted((a, b) => sequence(a) - sequence(b));
}

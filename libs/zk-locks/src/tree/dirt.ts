import { isWithin, join } from 'zk-client/recipes';
import { hasLockNodes, isKeyDirectory } from '../lock/key-path.js';
import type { Breaker } from '../lock/holder.js';
import type { Folder } from './tree-key.js';

/** From this many changes on, reading everything costs no more than remembering them. */
const MOST_CHANGES = 10_000;

/** The longest path below the root that is remembered, in characters: no lock node has a longer one. */
const LONGEST_PATH = 1_024;

/** The maximum number of nodes for which it is remembered who broke their locks. */
const MOST_BROKEN = 1_000;

/** The changes under a root that have not been read yet. */
export class Dirt {
  /** Keys, by the names of their directories. */
  readonly keys = new Set<string>();
  /** Keys whose job has run. */
  readonly runs = new Set<string>();
  /** Nodes whose data may have changed, and when the latest change was reported, by `performance.now()`. */
  readonly nodes = new Map<string, number>();
  readonly #brokenBy = new Map<string, Breaker>();
  #isAll = false;
  #hasGap = false;

  /** Whether everything has to be read. */
  get everything(): boolean {
    return this.#isAll;
  }

  get isEmpty(): boolean {
    return !this.#isAll && this.keys.size === 0 && this.runs.size === 0;
  }

  /** Whether changes may have been missed: the connection is new. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  get hasRoomForBreakers(): boolean {
    return this.#brokenBy.size < MOST_BROKEN;
  }

  /** A key's queue without the nodes about which an event was reported. */
  unchanged(root: string, segment: string, queue: Folder): Folder {
    if (!this.keys.has(segment)) return queue;
    const directory = join(root, segment);
    const nodes = queue.nodes.filter(({ name }) => !this.nodes.has(join(directory, name)));
    return { ...queue, nodes };
  }

  /** The process that broke the lock of the node at `path`, if that is known. */
  breakerOf(path: string): Breaker | undefined {
    return this.#brokenBy.get(path);
  }

  addBreaker(path: string, breaker: Breaker): void {
    if (this.hasRoomForBreakers) this.#brokenBy.set(path, breaker);
  }

  /** Called when a read of earlier changes has failed: it is not recorded which of them were read. */
  addUnread(before: Dirt): void {
    this.addAll(before);
    for (const [path, breaker] of before.#brokenBy) this.addBreaker(path, breaker);
  }

  addAll({ hasGap = false } = {}): void {
    this.#isAll = true;
    this.#hasGap ||= hasGap;
    // It may be a long time before the next read.
    for (const names of [this.keys, this.runs, this.nodes]) names.clear();
  }

  /** Called when a node was created, deleted or written. */
  add(path: string, root: string, runsRoot: string): void {
    if (this.#isAll) return;
    if (path === root || path === runsRoot || this.nodes.size + this.runs.size >= MOST_CHANGES) {
      this.addAll();
    } else if (isWithin(path, root)) {
      const below = path.slice(root.length + 1);
      const [segment = ''] = below.split('/');
      if (!hasLockNodes(segment)) return;
      if (below.length > LONGEST_PATH) {
        // Copied, because a name may be a megabyte long and a substring would retain all of it.
        this.add(join(root, Buffer.from(segment).toString()), root, runsRoot);
        return;
      }
      this.keys.add(segment);
      this.nodes.set(path, performance.now());
    } else if (isWithin(path, runsRoot)) {
      const segment = path.slice(runsRoot.length + 1);
      if (isKeyDirectory(segment)) this.runs.add(segment);
    }
  }
}

import type { LastingEvent, NodeEvent } from '../port/zookeeper-client.js';

/** Who sets watches that stay, on this connection. */
export interface LastingWatchListener {
  /** A watch fired, of whatever kind. */
  onEvent(path: string, event: LastingEvent): void;
}

/** A watch that stays: for the node and its children, or for all that is below it. */
export interface LastingWatch {
  readonly recursive: boolean;
}

export interface NodeListener {
  /** `gap`: events may have been missed, or would be from now on. Behind it, a watch is to be set again. */
  onNodeEvent(event: NodeEvent | 'gap'): void;
}

const DONE = Promise.resolve();

/**
 * All watches of a session's connection: the one-shot watches that locks set by reading, of which one
 * serves all listeners of a path, and the lasting ones that users set.
 *
 * Servers before 3.9 know one kind of watch on the data and one on the children of a path, the latest
 * that was set (ZOOKEEPER-4466), and cannot remove one kind alone (ZOOKEEPER-4471). So that neither
 * takes the place of the other:
 * - A read sets no one-shot watch where a lasting one tells as much. Recursive ones do not tell of a list
 *   of children: a child whose ACL hides it from this session comes and goes without an event
 *   (CVE-2024-23944). A one-shot watch of the list may stand beside them.
 * - Once a lasting watch was set or removed, the listeners of its path hear of a gap, and read again.
 */
export class NodeWatches {
  /** Most paths have one listener only. */
  readonly #listeners = new Map<string, NodeListener | Set<NodeListener>>();
  /** Reads that set a watch: in flight, or answered, and the watch has not fired yet. */
  readonly #reads = new Map<string, Promise<unknown>>();
  readonly #lasting = new Map<string, LastingWatch>();

  add(path: string, listener: NodeListener): void {
    const present = this.#listeners.get(path);
    if (present instanceof Set) present.add(listener);
    else this.#listeners.set(path, present ? new Set([present, listener]) : listener);
  }

  /** Does nothing if `listener` was not added. */
  remove(path: string, listener: NodeListener): void {
    const present = this.#listeners.get(path);
    if (present instanceof Set) present.delete(listener);
    if (present === listener || (present instanceof Set && present.size === 0)) {
      this.#listeners.delete(path);
      this.#reads.delete(path);
    }
  }

  /** Remembers a read that sets a watch if there is a node, while the path has listeners. */
  trackRead<T>(path: string, read: Promise<T>): Promise<T> {
    if (!this.#listeners.has(path)) return read;
    this.#reads.set(path, read);
    read.then(
      // The content is not kept: there may be 10,000 of them.
      () => this.#reads.get(path) === read && this.#reads.set(path, DONE),
      () => this.#reads.get(path) === read && this.#reads.delete(path),
    );
    return read;
  }

  /** The read whose watch will report the next event on `path`; undefined if no watch is set. */
  readOf(path: string): Promise<unknown> | undefined {
    return this.#reads.get(path);
  }

  fire(path: string, event: NodeEvent | 'gap'): void {
    this.#reads.delete(path);
    for (const listener of listOf(this.#listeners.get(path))) listener.onNodeEvent(event);
  }

  /** Forgets the watches: a new connection has none. */
  connected(): void {
    this.#reads.clear();
    this.#lasting.clear();
  }

  fireGap(): void {
    for (const path of [...this.#listeners.keys()]) this.fire(path, 'gap');
  }

  /** It is about to be set. */
  setLasting(path: string, watch: LastingWatch): void {
    this.#lasting.set(path, watch);
  }

  /** @param only unless another one has taken its place. @default whichever is there */
  endLasting(path: string, only = this.#lasting.get(path)): void {
    if (this.#lasting.get(path) === only) this.#lasting.delete(path);
  }

  lastingOn(path: string): LastingWatch | undefined {
    return this.#lasting.get(path);
  }

  /** Whether a lasting watch tells when the node is deleted or its data change. */
  isNodeCovered(path: string): boolean {
    return this.#lasting.has(path);
  }

  /** Whether a lasting watch tells when a child comes or goes. */
  areChildrenCovered(path: string): boolean {
    return this.#lasting.get(path)?.recursive === false;
  }

  get size(): number {
    return this.#listeners.size;
  }
}

/** A copy: callbacks may add and remove listeners. */
function listOf(listeners: NodeListener | Set<NodeListener> | undefined): NodeListener[] {
  if (listeners instanceof Set) return [...listeners];
  return listeners ? [listeners] : [];
}

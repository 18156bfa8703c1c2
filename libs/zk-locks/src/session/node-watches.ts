import type { NodeEvent } from '../client/zookeeper-client.js';

export interface NodeListener {
  /** `gap`: events may have been missed while the session was between two connections. */
  onNodeEvent(event: NodeEvent | 'gap'): void;
}

const DONE = Promise.resolve();

/** Listeners for events of znodes. One watch on the server serves all listeners of a path. */
export class NodeWatches {
  /** Most paths have one listener only. */
  readonly #listeners = new Map<string, NodeListener | Set<NodeListener>>();
  /** Reads that set a watch: in flight, or answered, and the watch has not fired yet. */
  readonly #reads = new Map<string, Promise<unknown>>();

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

  fire(path: string, event: NodeEvent): void {
    this.#reads.delete(path);
    for (const listener of listOf(this.#listeners.get(path))) listener.onNodeEvent(event);
  }

  /** Forgets the watches: a new connection has none. */
  connected(): void {
    this.#reads.clear();
  }

  fireGap(): void {
    for (const path of [...this.#listeners.keys()]) {
      for (const listener of listOf(this.#listeners.get(path))) listener.onNodeEvent('gap');
    }
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

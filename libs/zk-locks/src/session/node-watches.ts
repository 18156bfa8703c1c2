import type { NodeEvent } from '../client/zookeeper-client.js';

export interface NodeListener {
  /** `gap`: events may have been missed while the session was between two connections. */
  onNodeEvent(event: NodeEvent | 'gap'): void;
}

const DONE = Promise.resolve();

/** Who in this process listens for events of which znode: one server-side watch serves them all. */
export class NodeWatches {
  /** Most paths have one listener only. */
  readonly #listeners = new Map<string, NodeListener | Set<NodeListener>>();
  /** The reads that have set a watch which has not fired yet, or are about to set one. */
  readonly #reads = new Map<string, Promise<unknown>>();

  add(path: string, listener: NodeListener): void {
    const present = this.#listeners.get(path);
    if (present instanceof Set) present.add(listener);
    else this.#listeners.set(path, present ? new Set([present, listener]) : listener);
  }

  /** Does nothing where it does not listen. */
  remove(path: string, listener: NodeListener): void {
    const present = this.#listeners.get(path);
    if (present instanceof Set) present.delete(listener);
    if (present === listener || (present instanceof Set && present.size === 0)) {
      this.#listeners.delete(path);
      this.#reads.delete(path);
    }
  }

  /** `read` sets a watch where there is a node. Nothing is kept where nobody listens. */
  reading<T>(path: string, read: Promise<T>): Promise<T> {
    if (!this.#listeners.has(path)) return read;
    this.#reads.set(path, read);
    read.then(
      // What was read is not kept: there may be ten thousand.
      () => this.#reads.get(path) === read && this.#reads.set(path, DONE),
      () => this.#reads.get(path) === read && this.#reads.delete(path),
    );
    return read;
  }

  /** What sets the watch that the next event on `path` is told by; undefined where it has to be set. */
  read(path: string): Promise<unknown> | undefined {
    return this.#reads.get(path);
  }

  fire(path: string, event: NodeEvent): void {
    this.#reads.delete(path);
    for (const listener of listOf(this.#listeners.get(path))) listener.onNodeEvent(event);
  }

  /** There is a new connection, on which no watch is set. */
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

/** As they are now: who is told may leave, or bring others. */
function listOf(listeners: NodeListener | Set<NodeListener> | undefined): NodeListener[] {
  if (listeners instanceof Set) return [...listeners];
  return listeners ? [listeners] : [];
}

import type { LastingEvent, NodeEvent } from '../port/zookeeper-client.js';

/** The owner of the lasting watches on this connection. */
export interface LastingWatchListener {
  /** A watch fired, of whatever kind. */
  onEvent(path: string, event: LastingEvent): void;
}

/** A lasting watch: on the node and its children, or on everything below it. */
export interface LastingWatch {
  readonly recursive: boolean;
}

export interface NodeListener {
  /**
   * `gap`: events may have been missed, or may be missed from now on. The listener then has to set
   * a watch again.
   */
  onNodeEvent(event: NodeEvent | 'gap'): void;
}

const NO_LISTENERS: readonly NodeListener[] = [];

/**
 * All watches of a session's connection: the one-shot watches that locks set by reading, one for
 * all listeners of a path, and the lasting watches that users set.
 *
 * Servers before 3.9 keep one kind of watch on the data and one on the children of a path, the
 * latest that was set (ZOOKEEPER-4466), and cannot remove one kind alone (ZOOKEEPER-4471). So that
 * neither replaces the other:
 * - A read sets no one-shot watch if a lasting one reports as much. Recursive watches do not report
 *   lists of children: a child whose ACL hides it from this session comes and goes without an event
 *   (CVE-2024-23944). A one-shot watch on the list may exist beside them.
 * - When a lasting watch was set or removed, the listeners of its path get a gap, and read again.
 */
export class NodeWatches {
  /** Never changed, only replaced: callbacks may add and remove listeners. Most paths have one. */
  readonly #listeners = new Map<string, readonly NodeListener[]>();
  readonly #lasting = new Map<string, LastingWatch>();

  add(path: string, listener: NodeListener): void {
    const present = this.#listeners.get(path) ?? NO_LISTENERS;
    if (!present.includes(listener)) this.#listeners.set(path, present.concat(listener));
  }

  /** Does nothing if `listener` was not added. */
  remove(path: string, listener: NodeListener): void {
    const left = this.#listeners.get(path)?.filter((other) => other !== listener);
    if (!left) return;
    if (left.length > 0) this.#listeners.set(path, left);
    else this.#listeners.delete(path);
  }

  fire(path: string, event: NodeEvent | 'gap'): void {
    for (const listener of this.#listeners.get(path) ?? NO_LISTENERS) listener.onNodeEvent(event);
  }

  /** Forgets the lasting watches: a new connection has none. */
  connected(): void {
    this.#lasting.clear();
  }

  fireGap(): void {
    for (const path of [...this.#listeners.keys()]) this.fire(path, 'gap');
  }

  /** Called when a watch is about to be set. */
  setLasting(path: string, watch: LastingWatch): void {
    this.#lasting.set(path, watch);
  }

  /** @param only ends no other watch than this one. @default whichever exists */
  endLasting(path: string, only = this.#lasting.get(path)): void {
    if (this.#lasting.get(path) === only) this.#lasting.delete(path);
  }

  lastingOn(path: string): LastingWatch | undefined {
    return this.#lasting.get(path);
  }

  /** Whether a lasting watch reports the deletion of the node and changes of its data. */
  isNodeCovered(path: string): boolean {
    return this.#lasting.has(path);
  }

  /** Whether a lasting watch reports the creation and deletion of children. */
  areChildrenCovered(path: string): boolean {
    return this.#lasting.get(path)?.recursive === false;
  }

  get size(): number {
    return this.#listeners.size;
  }
}

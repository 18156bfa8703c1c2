import type { NodeEvent } from '../client/zookeeper-client.js';

/** `gap`: events may have been missed while the session was between two connections. */
export type NodeListener = (event: NodeEvent | 'gap') => void;

/** Who in this process listens for events of which znode: one server-side watch serves them all. */
export class NodeWatches {
  readonly #listeners = new Map<string, Set<NodeListener>>();

  add(path: string, listener: NodeListener): () => void {
    const listeners = this.#listeners.get(path) ?? new Set();
    this.#listeners.set(path, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(path) === listeners) {
        this.#listeners.delete(path);
      }
    };
  }

  fire(path: string, event: NodeEvent): void {
    for (const listener of [...(this.#listeners.get(path) ?? [])]) listener(event);
  }

  fireGap(): void {
    for (const listeners of [...this.#listeners.values()]) {
      for (const listener of [...listeners]) listener('gap');
    }
  }

  get size(): number {
    return this.#listeners.size;
  }
}

import { isWithin } from 'zk-client/recipes';
import type { Breaker } from '../lock/holder.js';

/** From this many changes on, reading everything costs no more than remembering them. */
const MOST_CHANGES = 10_000;

/** What has changed under a root and has to be read. */
export class Dirt {
  /** Keys, by the names of their directories. */
  readonly keys = new Set<string>();
  /** Keys whose job has run. */
  readonly runs = new Set<string>();
  /** Nodes whose data may have changed, and when their latest change was told, by `performance.now()`. */
  readonly nodes = new Map<string, number>();
  /** Who broke locks, by the paths of their nodes. */
  readonly brokenBy = new Map<string, Breaker>();
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
      const [segment = ''] = path.slice(root.length + 1).split('/');
      this.keys.add(segment);
      this.nodes.set(path, performance.now());
    } else if (isWithin(path, runsRoot)) {
      this.runs.add(path.slice(runsRoot.length + 1));
    }
  }
}

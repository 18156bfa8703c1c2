import { isWithin } from 'zk-client/recipes';

/** From so many changes on, reading all costs no more than to remember them. */
const MOST_CHANGES = 10_000;

/** What has changed below a root, and is to be read. */
export class Dirt {
  /** Keys, by the names of their directories. */
  readonly keys = new Set<string>();
  /** Keys whose job has run. */
  readonly runs = new Set<string>();
  /** Nodes whose data may have changed. */
  readonly nodes = new Set<string>();
  #isAll: boolean;

  constructor({ everything = false } = {}) {
    this.#isAll = everything;
  }

  /** Whatever there is. */
  get everything(): boolean {
    return this.#isAll;
  }

  get isEmpty(): boolean {
    return !this.#isAll && this.keys.size === 0 && this.runs.size === 0;
  }

  addAll(): void {
    this.#isAll = true;
    // There may be no reader for a long time.
    for (const names of [this.keys, this.runs, this.nodes]) names.clear();
  }

  /** A node was created, deleted or written. */
  add(path: string, root: string, runsRoot: string): void {
    if (this.#isAll) return;
    if (path === root || path === runsRoot || this.nodes.size + this.runs.size >= MOST_CHANGES) {
      this.addAll();
    } else if (isWithin(path, root)) {
      const [segment = ''] = path.slice(root.length + 1).split('/');
      this.keys.add(segment);
      this.nodes.add(path);
    } else if (isWithin(path, runsRoot)) {
      this.runs.add(path.slice(runsRoot.length + 1));
    }
  }
}

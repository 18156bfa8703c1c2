import { isOver } from '../../../../libs/zk-embedded/src/tree/znode.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedTimer } from '../../world/timers.js';
import type { Replica } from '../log/replica.js';

/** The pause between two deletions: `znode.container.maxPerMinute` is 10,000. */
const PAUSE_MS = 6;

/** Looks for empty containers and expired TTL nodes, and has them deleted one by one. */
export class ContainerReaper {
  readonly #timer: SimulatedTimer;
  #next: SimulatedTimer | undefined;
  #found: string[] = [];

  constructor(
    private readonly process: SimulatedProcess,
    checkMs: number,
    private readonly replica: Replica,
    private readonly remove: (path: string) => void,
  ) {
    this.#timer = process.addTimer(() => this.#look(), checkMs, true);
  }

  stop(): void {
    this.#timer.close();
    this.#next?.close();
  }

  #look(): void {
    // The previous check has not finished yet.
    if (this.#found.length > 0) return;
    const now = this.process.wall();
    for (const node of this.replica.database.tree.mortals()) {
      if (isOver(node, now)) this.#found.push(node.path);
    }
    this.#removeNext();
  }

  #removeNext(): void {
    const path = this.#found.shift();
    if (path === undefined) return;
    this.remove(path);
    this.#next = this.process.addTimer(() => this.#removeNext(), PAUSE_MS);
  }
}

import { isOver } from '../../../../libs/zk-embedded/src/tree/znode.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedTimer } from '../../world/timers.js';
import type { Replica } from '../log/replica.js';

interface Limits {
  readonly containerCheckMs: number;
  readonly containersPerMinute: number;
}

/** Looks for empty containers and nodes whose time is over, and has them deleted one by one. */
export class ContainerReaper {
  readonly #timer: SimulatedTimer;
  #next: SimulatedTimer | undefined;
  #found: string[] = [];

  constructor(
    private readonly process: SimulatedProcess,
    private readonly limits: Limits,
    private readonly replica: Replica,
    private readonly remove: (path: string) => void,
  ) {
    this.#timer = process.addTimer(() => this.#look(), limits.containerCheckMs, true);
  }

  stop(): void {
    this.#timer.close();
    this.#next?.close();
  }

  #look(): void {
    // The look before has not come to its end yet.
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
    const pauseMs = Math.floor(60_000 / this.limits.containersPerMinute);
    this.#next = this.process.addTimer(() => this.#removeNext(), pauseMs);
  }
}

import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedTimer } from '../../world/timers.js';
import type { Replica } from '../log/replica.js';

interface Limits {
  readonly containerCheckMs: number;
  readonly containersPerMinute: number;
}

/** Looks for containers that have lost their last child, and has them deleted one by one. */
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
    this.#timer = process.addTimer(() => this.#look(), limits.containerCheckMs, [], true);
  }

  stop(): void {
    this.#timer.close();
    this.#next?.close();
  }

  #look(): void {
    // The look before has not come to its end yet.
    if (this.#found.length > 0) return;
    for (const { path, owner, children, childrenCreated } of this.replica.database.tree.mortals()) {
      if (owner.kind !== 'container' || children.size > 0 || childrenCreated === 0) continue;
      this.#found.push(path);
    }
    this.#removeNext();
  }

  #removeNext(): void {
    const path = this.#found.shift();
    if (path === undefined) return;
    this.remove(path);
    const pauseMs = Math.floor(60_000 / this.limits.containersPerMinute);
    this.#next = this.process.addTimer(() => this.#removeNext(), pauseMs, [], false);
  }
}

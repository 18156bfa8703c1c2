import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { Delay } from '../options.js';

/** Executes committed entries in order, sometimes with a delay. */
export class ApplyQueue {
  #waiting: (() => void)[] = [];
  #isLate = false;
  #isStopped = false;

  constructor(
    private readonly process: SimulatedProcess,
    private readonly lag: Delay,
  ) {}

  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
  }

  push(run: () => void): void {
    if (this.#isStopped) return;
    if (this.#isLate) {
      this.#waiting.push(run);
      return;
    }
    const { percent, leastMs, mostMs } = this.lag;
    const { random } = this.process;
    const ms = percent > 0 && random.chance(percent) ? random.between(leastMs, mostMs) : 0;
    if (ms === 0) return run();
    this.#isLate = true;
    this.#waiting.push(run);
    this.process.addTimer(() => this.#catchUp(), ms);
  }

  #catchUp(): void {
    this.#isLate = false;
    for (const run of this.#waiting.splice(0)) if (!this.#isStopped) run();
  }
}

import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedTimer } from '../../world/timers.js';
import type { SessionTracker } from './session-tracker.js';

/** Ends expired sessions at the ticks of the leader's clock. */
export class Expirer {
  #timer: SimulatedTimer | undefined;
  #isStopped = false;

  constructor(
    private readonly process: SimulatedProcess,
    private readonly tracker: SessionTracker,
    private readonly expire: (sessionId: bigint) => void,
  ) {
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.close();
  }

  #wait(): void {
    this.#timer = this.process.addTimer(() => this.#awake(), Math.ceil(this.tracker.waitMs));
  }

  /**
   * A real server does this in a separate thread, which may run before or after the threads that
   * read the messages that arrived during a stall.
   */
  #awake(): void {
    if (this.process.random.chance(50)) this.#expireOverdue();
    else this.process.addImmediate(() => this.#expireOverdue());
  }

  #expireOverdue(): void {
    if (this.#isStopped) return;
    for (let ids = this.tracker.takeTick(); ids; ids = this.tracker.takeTick()) {
      for (const id of ids) this.expire(id);
    }
    this.#wait();
  }
}

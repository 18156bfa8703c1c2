import { machineTime, type Journal } from './journal.js';

const INTERVAL_MS = 10;
/** A longer delay is a stall. */
const LATE_MS = 15;

/** Notes stalls of the event loop, in which the process cannot be told of anything. */
export class StallWatch {
  #last = machineTime();
  readonly #timer = setInterval(() => {
    this.look();
  }, INTERVAL_MS);

  constructor(private readonly journal: Journal) {}

  /** Also called just before an entry that a stall would excuse. */
  look(): void {
    const at = machineTime();
    if (at - this.#last > INTERVAL_MS + LATE_MS) {
      this.journal.note({ type: 'stalled', from: this.#last, at });
    }
    this.#last = at;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

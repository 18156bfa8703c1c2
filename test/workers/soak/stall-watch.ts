import { machineTime, type Journal } from './journal.js';

const INTERVAL_MS = 10;
/** Later than that is a stall. */
const LATE_MS = 15;

/** Notes when the event loop stood still: nothing can be told to anybody then. */
export class StallWatch {
  #last = machineTime();
  readonly #timer = setInterval(() => {
    this.look();
  }, INTERVAL_MS);

  constructor(private readonly journal: Journal) {}

  /** Called as well by whoever is about to note something that a stall would excuse. */
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

import { machineTime, type Journal } from './journal.js';

const INTERVAL_MS = 10;
/** A timer that is later than this indicates a stall. */
const LATE_MS = 15;

/** Records stalls of the event loop, during which the process cannot be told of anything. */
export class StallWatch {
  #last = machineTime();
  #isOver = false;
  readonly #timer = setInterval(() => {
    this.look();
  }, INTERVAL_MS);

  constructor(private readonly journal: Journal) {}

  /** Also called just before an entry that a stall would excuse. */
  look(): void {
    const from = this.#last;
    this.#last = machineTime();
    if (this.#last - from <= INTERVAL_MS + LATE_MS) return;
    // A stall lasts until the end of this turn, in which the locks are told of their loss one after
    // another.
    setImmediate(() => {
      if (!this.#isOver) this.journal.note({ type: 'stalled', from, at: machineTime() });
    });
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }
}

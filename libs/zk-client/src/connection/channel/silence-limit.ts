import { clearTimeout, performance, setImmediate, setTimeout } from '../../real-time.js';

/**
 * Reports that a server which owes an answer has been silent for too long. One deadline serves all
 * unanswered requests: answers come in order, so a long queue is fine while they come.
 */
export class SilenceLimit {
  #timer: NodeJS.Timeout | undefined;
  #lastSignAt = 0;
  #isOwed = false;
  #isOver = false;

  /** @param onSilence called once, in a turn of its own */
  constructor(
    private readonly limitMs: number,
    private readonly onSilence: () => void,
  ) {}

  /** A request was sent that the server has to answer. */
  expect(): void {
    if (this.#isOver) return;
    if (!this.#isOwed) this.#lastSignAt = performance.now();
    this.#isOwed = true;
    this.#timer ??= setTimeout(() => this.#check(), this.limitMs).unref();
  }

  /** Bytes have come; `isAllPaid`: no answer is due. */
  heard(isAllPaid: boolean): void {
    this.#lastSignAt = performance.now();
    this.#isOwed = !isAllPaid;
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #check(): void {
    this.#timer = undefined;
    if (!this.#isOwed || this.#isOver) return;
    const msLeft = this.#lastSignAt + this.limitMs - performance.now();
    if (msLeft > 0) {
      this.#timer = setTimeout(() => this.#check(), msLeft).unref();
      return;
    }
    // After a stall of this process the answer may have arrived, and be read later in this turn.
    const lastSignAt = this.#lastSignAt;
    setImmediate(() => {
      if (this.#isOver) return;
      if (this.#isOwed && this.#lastSignAt === lastSignAt) this.onSilence();
      else this.#check();
    });
  }
}

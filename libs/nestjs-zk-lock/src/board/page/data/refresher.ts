/** An answer that takes longer does not come: the application may be stopped. */
const ANSWER_WITHIN_MS = 8_000;

/**
 * Calls `work` when it is asked to: never twice at once, and with `gapMs` between two starts. What is
 * asked for meanwhile is one more call behind it.
 */
export class Refresher {
  #running: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt = -Infinity;
  #isWanted = false;

  /** @param work must not reject; what it fetches ends with the signal */
  constructor(
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly gapMs: number,
  ) {}

  ask(): void {
    this.#isWanted = true;
    if (this.#running || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#startedAt + this.gapMs - performance.now());
    this.#timer = setTimeout(() => void this.#run(), waitMs);
  }

  /** For what the user has asked for: a call that is under way is for something else, and is ended. */
  askNow(): void {
    this.#running?.abort();
    clearTimeout(this.#timer);
    void this.#run();
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#timer = undefined;
    this.#isWanted = false;
    this.#startedAt = performance.now();
    const timer = setTimeout(
      () => running.abort(new DOMException('No answer', 'TimeoutError')),
      ANSWER_WITHIN_MS,
    );
    await this.work(running.signal);
    clearTimeout(timer);
    this.#ended(running);
  }

  #ended(running: AbortController): void {
    // Another one was started in its place.
    if (this.#running !== running) return;
    this.#running = undefined;
    if (this.#isWanted) this.ask();
  }
}

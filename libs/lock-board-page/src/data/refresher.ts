/** After this time the application counts as away; its process may be stopped. */
const ANSWER_WITHIN_MS = 8_000;

/** The pause after a failure. Each change is reported once, so the page would otherwise wait for the next one. */
const RETRY_MS = 2_000;

/**
 * Calls `work` on demand: one call at a time, with at least `gapMs` between two starts. Demands during a
 * call lead to one more call after it, and a call that fails is repeated.
 */
export class Refresher {
  #running: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #startedAt = -Infinity;
  #isWanted = false;

  /** @param work resolves to whether it has succeeded; must end its requests when the signal aborts */
  constructor(
    private readonly work: (signal: AbortSignal) => Promise<boolean>,
    private readonly gapMs: number,
  ) {}

  ask(): void {
    this.#isWanted = true;
    if (this.#running || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#startedAt + this.gapMs - performance.now());
    this.#timer = setTimeout(() => void this.#run(), waitMs);
  }

  /** Starts at once, for input of the user, and aborts a call under way. */
  askNow(): void {
    this.#running?.abort();
    clearTimeout(this.#timer);
    void this.#run();
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#timer = undefined;
    clearTimeout(this.#retry);
    this.#isWanted = false;
    this.#startedAt = performance.now();
    const timer = setTimeout(
      () => running.abort(new DOMException('No answer', 'TimeoutError')),
      ANSWER_WITHIN_MS,
    );
    const hasSucceeded = await this.work(running.signal);
    clearTimeout(timer);
    this.#ended(running, hasSucceeded);
  }

  #ended(running: AbortController, hasSucceeded: boolean): void {
    // `askNow` has started another call.
    if (this.#running !== running) return;
    this.#running = undefined;
    if (this.#isWanted) this.ask();
    if (!hasSucceeded) this.#retry = setTimeout(() => this.ask(), RETRY_MS);
  }
}

/** The longest delay a Node timer takes; anything longer is treated as unlimited. */
export const MAX_TIMER_MS = 0x7fffffff;

export interface WaitLimits {
  /** 0 for a single try, which ends as soon as somebody stands in the way. */
  readonly timeoutMs: number;
  /** How long a single try waits for ZooKeeper's answers, in milliseconds. */
  readonly answerWithinMs: number;
  readonly onTimeout: (isBlocked: boolean) => Error;
  readonly signal?: AbortSignal | undefined;
  readonly onAbort: (reason: unknown) => Error;
}

/**
 * One deadline over a whole acquire: its timeout, the caller's signal and the closing of the
 * service end the same wait, whatever it is waiting for at that moment.
 */
export class Wait {
  /** Aborts when the wait is over; its reason is the error for the caller. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #isBlocked = false;

  constructor(private readonly limits: WaitLimits) {
    this.signal = this.#controller.signal;
    const { signal, timeoutMs, answerWithinMs } = limits;
    const timerMs = timeoutMs === 0 ? answerWithinMs : timeoutMs;
    if (timerMs <= MAX_TIMER_MS) this.#timer = setTimeout(this.#onTimeout, timerMs);
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onTimeout = (): void => this.stop(this.limits.onTimeout(this.#isBlocked));
  readonly #onAbort = (): void => this.stop(this.limits.onAbort(this.limits.signal?.reason));

  /** Another contender is known to stand in the way; ends a single try. */
  blocked(): void {
    this.#isBlocked = true;
    if (this.limits.timeoutMs === 0) this.#onTimeout();
  }

  stop(error: Error): void {
    this.#controller.abort(error);
  }

  /** Frees the timer and the listener on the caller's signal. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.limits.signal?.removeEventListener('abort', this.#onAbort);
  }

  /** The result of `step`, unless the wait ends first: then it rejects with the wait's error. */
  async for<T>(step: Promise<T>): Promise<T> {
    const { signal } = this;
    let onStop!: () => void;
    const stopped = new Promise<never>((_, reject) => {
      onStop = () => reject(signal.reason as Error);
      if (signal.aborted) onStop();
      else signal.addEventListener('abort', onStop, { once: true });
    });
    try {
      return await Promise.race([step, stopped]);
    } finally {
      signal.removeEventListener('abort', onStop);
    }
  }
}

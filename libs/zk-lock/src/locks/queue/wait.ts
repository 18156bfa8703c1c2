import { LazySignal } from './lazy-signal.js';

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
  /** Called whenever another contender is found in the way. */
  readonly onBlocked?: (() => void) | undefined;
}

/**
 * One deadline over a whole acquire: its timeout, the caller's signal and the closing of the
 * service end the same wait, whatever it is waiting for at that moment.
 */
export class Wait {
  readonly #timer: NodeJS.Timeout | undefined;
  /** The steps that are under way. */
  readonly #steps = new Set<(error: Error) => void>();
  readonly #end = new LazySignal<Error>();
  #isBlocked = false;

  constructor(private readonly limits: WaitLimits) {
    const { signal, timeoutMs, answerWithinMs } = limits;
    const timerMs = timeoutMs === 0 ? answerWithinMs : timeoutMs;
    if (timerMs <= MAX_TIMER_MS) this.#timer = setTimeout(this.#onTimeout, timerMs);
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborts when the wait is over; its reason is the error for the caller. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isOver(): boolean {
    return this.#end.aborted;
  }

  /** @throws the error for the caller, when the wait is over */
  throwIfOver(): void {
    const { reason } = this.#end;
    if (reason) throw reason;
  }

  readonly #onTimeout = (): void => this.stop(this.limits.onTimeout(this.#isBlocked));
  readonly #onAbort = (): void => this.stop(this.limits.onAbort(this.limits.signal?.reason));

  /** Another contender is known to stand in the way; ends a single try. */
  blocked(): void {
    this.#isBlocked = true;
    this.limits.onBlocked?.();
    if (this.limits.timeoutMs === 0) this.#onTimeout();
  }

  stop(error: Error): void {
    if (this.isOver) return;
    this.#end.abort(error);
    for (const end of this.#steps) end(error);
    this.#steps.clear();
  }

  /** Frees the timer and the listener on the caller's signal. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.limits.signal?.removeEventListener('abort', this.#onAbort);
  }

  /** The result of `step`, unless the wait ends first: then it rejects with the wait's error. */
  for<T>(step: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error): void => {
        this.#steps.delete(fail);
        reject(error);
      };
      const { reason } = this.#end;
      if (reason) reject(reason);
      else this.#steps.add(fail);
      step.then((result) => {
        this.#steps.delete(fail);
        resolve(result);
      }, fail);
    });
  }
}

import { isAbortSignal, readOptions } from '../locks/given-options.js';
import { LockAbortedError, LockServiceClosedError } from '../locks/lock-errors.js';
import { newSharedController } from '../locks/queue/shared-controller.js';
import { MAX_TIMER_MS } from '../locks/queue/wait.js';

/** The waits in progress, so that a shutdown can end all of them. */
export class OpenWaits {
  private readonly controllers = new Set<AbortController>();
  private longestMs = Infinity;

  /** Runs the wait of a call with its options, under a signal as that of {@link during}. */
  async duringCall<O extends { signal?: AbortSignal | undefined }, T>(
    given: O | null | undefined,
    wait: (options: O) => Promise<T>,
  ): Promise<T> {
    const options = readOptions(given);
    return this.during(options.signal, (signal) => wait({ ...options, signal }));
  }

  /**
   * Runs a wait under a signal that follows the caller's and can be ended from here.
   *
   * @throws {LockServiceClosedError} when {@link endAll} ended it
   */
  async during<T>(
    callers: AbortSignal | undefined,
    wait: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    // Left to the lock manager, which refuses it by name.
    if (callers !== undefined && !isAbortSignal(callers)) return wait(callers);
    const controller = newSharedController();
    const follow = (): void => {
      controller.abort(callers?.reason);
    };
    if (callers?.aborted) follow();
    callers?.addEventListener('abort', follow, { once: true });
    this.controllers.add(controller);
    const timer = this.limit(controller);
    try {
      return await wait(controller.signal);
    } catch (error) {
      throw isShutdown(error) ? new LockServiceClosedError({ cause: error }) : error;
    } finally {
      clearTimeout(timer);
      this.controllers.delete(controller);
      callers?.removeEventListener('abort', follow);
    }
  }

  /** Ends the waits in progress now, and those still to come after `longestMs`. */
  endAll(longestMs: number): void {
    this.longestMs = longestMs;
    for (const controller of this.controllers) controller.abort(new LockServiceClosedError());
  }

  private limit(controller: AbortController): NodeJS.Timeout | undefined {
    if (this.longestMs === Infinity) return undefined;
    return setTimeout(
      () => {
        controller.abort(new LockServiceClosedError());
      },
      Math.min(this.longestMs, MAX_TIMER_MS),
    );
  }
}

function isShutdown(error: unknown): boolean {
  return error instanceof LockAbortedError && error.cause instanceof LockServiceClosedError;
}

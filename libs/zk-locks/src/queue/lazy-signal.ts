import { newSharedController } from './shared-controller.js';

/** What aborts once, and has a signal for those who ask for one: most never do. */
export class LazySignal<Reason> {
  #controller: AbortController | undefined;
  #isAborted = false;
  #reason: Reason | undefined;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): Reason | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = newSharedController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Does nothing the second time. */
  abort(reason: Reason): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

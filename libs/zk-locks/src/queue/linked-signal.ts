import { listenForAbort, unlistenForAbort } from './caller-signal.js';
import { newSharedController } from './shared-controller.js';

/**
 * A signal that aborts with the first of several others, until it is disposed of.
 *
 * `AbortSignal.any` is not for signals that live long: on Node 20 each call leaves something in its
 * sources for ever, and one that somebody listens to is kept even when nobody can abort it any more.
 */
export class LinkedSignal implements Disposable {
  readonly #controller = newSharedController();
  readonly #stops: (() => void)[] = [];

  constructor(sources: Iterable<AbortSignal>) {
    for (const source of sources) {
      if (this.signal.aborted) return;
      this.#follow(source);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this[Symbol.dispose]();
    this.#controller.abort(reason);
  }

  /** Follows nobody any more. */
  [Symbol.dispose](): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #follow(source: AbortSignal): void {
    const follow = { handleEvent: () => this.abort(source.reason) };
    if (source.aborted) return follow.handleEvent();
    listenForAbort(source, follow);
    this.#stops.push(() => unlistenForAbort(source, follow));
  }
}

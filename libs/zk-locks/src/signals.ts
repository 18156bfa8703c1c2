import { setMaxListeners } from 'node:events';
import { callAll } from './session/call-all.js';

/**
 * A controller whose signal any number may listen to: of the eleventh Node would warn as of a leak,
 * where it is no more than eleven requests under one lock.
 */
export function newSharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(Infinity, controller.signal);
  return controller;
}

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

interface AbortListener {
  handleEvent(): void;
}

const listenersOf = new WeakMap<AbortSignal, Set<AbortListener>>();

/**
 * Tells `listener` once when the signal of a caller aborts. All listeners of one signal share a single
 * `abort` listener: many calls may share a signal, and Node 20 warns of a leak at the eleventh.
 */
export function listenForAbort(signal: AbortSignal, listener: AbortListener): void {
  const known = listenersOf.get(signal);
  if (known) {
    known.add(listener);
    return;
  }
  listenersOf.set(signal, new Set([listener]));
  signal.addEventListener('abort', onAbort, { once: true });
}

/** Does nothing where it does not listen. */
export function unlistenForAbort(signal: AbortSignal, listener: AbortListener): void {
  const known = listenersOf.get(signal);
  if (!known?.delete(listener) || known.size > 0) return;
  listenersOf.delete(signal);
  signal.removeEventListener('abort', onAbort);
}

function onAbort(event: Event): void {
  const signal = event.target as AbortSignal;
  const listeners = listenersOf.get(signal) ?? new Set();
  // One that is told may stop another.
  const calls = Array.from(listeners, (listener) => (): void => {
    if (listeners.has(listener)) listener.handleEvent();
  });
  callAll(calls);
  listenersOf.delete(signal);
}

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

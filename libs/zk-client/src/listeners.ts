import { AsyncResource } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';

// Node 20 and 22 have these symbols in the main context only, and Jest before version 30 runs tests in
// others. A file of its own would be left out of the bundle, for its lack of exports.
for (const name of ['dispose', 'asyncDispose']) {
  if (name in Symbol) continue;
  Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}

/**
 * Calls every listener, even if one throws. As with listeners of an `EventTarget`, the error
 * becomes an uncaught exception later. Often it is the user's logger that throws, and the others
 * must still be notified of a loss.
 */
export function callAll(listeners: readonly (() => void)[]): void {
  for (const listener of listeners) {
    try {
      listener();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/**
 * Binds a listener to the async context of this call. Otherwise, it would run in that of the code that
 * causes an event, and inherit the locks of its section.
 */
export function inThisContext<T extends unknown[]>(
  listener: (...args: T) => void,
): (...args: T) => void {
  // What is not destroyed is an open handle to Jest's `--detectOpenHandles`.
  const here = new AsyncResource('Listener').emitDestroy();
  return (...args) => here.runInAsyncScope(listener, undefined, ...args);
}

/** A member of a line, which may leave it from any place. */
export interface InLine<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/**
 * A queue, first come, first served. Joining, leaving and serving take constant time and allocate
 * nothing. (A `Set` that many join and leave has its table replaced again and again, and each old
 * table that was promoted to V8's old space retains all later ones with their contents.)
 */
export class Line<T extends InLine<T>> {
  #head: T | undefined;
  #last: T | undefined;
  #length = 0;

  get head(): T | undefined {
    return this.#head;
  }

  get length(): number {
    return this.#length;
  }

  join(one: T): void {
    one.previous = this.#last;
    if (this.#last) this.#last.next = one;
    else this.#head = one;
    this.#last = one;
    this.#length++;
  }

  /** Whether it was in the line. */
  leave(one: T): boolean {
    const { previous, next } = one;
    if (!previous && this.#head !== one) return false;
    if (previous) previous.next = next;
    else this.#head = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    one.previous = one.next = undefined;
    this.#length--;
    return true;
  }

  /** All, the first one first. */
  all(): T[] {
    const all: T[] = [];
    this.forEach((one) => all.push(one));
    return all;
  }

  takeAll(): T[] {
    const all = this.all();
    for (const one of all) this.leave(one);
    return all;
  }

  /** Calls `visit` for all, the first one first; none may join or leave meanwhile. */
  forEach(visit: (one: T) => void): void {
    for (let one = this.#head; one; one = one.next) visit(one);
  }
}

/**
 * A controller whose signal may have any number of listeners. Otherwise, Node warns of a leak at
 * the eleventh, which may only be eleven requests under one lock.
 */
export function newSharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(Infinity, controller.signal);
  return controller;
}

/**
 * Something that aborts once, with a signal that is created only on request: most signals are never
 * requested.
 */
export class LazySignal<Reason extends Error> {
  #controller: AbortController | undefined;
  #reason: Reason | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): Reason | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = newSharedController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Does nothing the second time. */
  abort(reason: Reason): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

interface AbortListener {
  handleEvent(): void;
}

const listenersOf = new WeakMap<AbortSignal, Set<AbortListener>>();

/**
 * Calls `listener` once when a caller's signal aborts. All listeners of one signal share a single
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

/** Does nothing if it does not listen. */
export function unlistenForAbort(signal: AbortSignal, listener: AbortListener): void {
  const known = listenersOf.get(signal);
  if (!known?.delete(listener) || known.size > 0) return;
  listenersOf.delete(signal);
  signal.removeEventListener('abort', onAbort);
}

function onAbort(event: Event): void {
  const signal = event.target as AbortSignal;
  const listeners = listenersOf.get(signal) ?? new Set();
  // A listener may stop another one.
  const calls = Array.from(listeners, (listener) => (): void => {
    if (listeners.has(listener)) listener.handleEvent();
  });
  callAll(calls);
  listenersOf.delete(signal);
}

/**
 * A signal that aborts with the first of several others, until it is disposed of.
 *
 * `AbortSignal.any` is not suitable for long-lived signals: on Node 20, each call leaves something
 * in its sources forever, and a signal with a listener is kept even when nothing can abort it any
 * more. It is not suitable for `AbortSignal.timeout` either: the garbage collector removes the
 * timeout, which then never fires.
 */
export class LinkedSignal implements Disposable {
  readonly #controller = newSharedController();
  readonly #stops: (() => void)[] = [];

  constructor(sources: Iterable<AbortSignal>) {
    for (const source of sources) this.listenTo(source);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this[Symbol.dispose]();
    this.#controller.abort(reason);
  }

  /** Listens to no signal any more. */
  [Symbol.dispose](): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Adds another source. */
  listenTo(source: AbortSignal): void {
    if (this.signal.aborted) return;
    const listener = { handleEvent: () => this.abort(source.reason) };
    if (source.aborted) return listener.handleEvent();
    listenForAbort(source, listener);
    this.#stops.push(() => unlistenForAbort(source, listener));
  }
}

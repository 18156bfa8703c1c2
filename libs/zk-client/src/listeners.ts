import { setMaxListeners } from 'node:events';

/**
 * Calls every listener, even when one throws. As with listeners of an `EventTarget`, the error becomes an
 * uncaught exception later. It is often the user's logger that throws, and the others must hear of a loss.
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

/** Who stands in a line, and may leave it from anywhere. */
export interface InLine<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/**
 * First come, first served; joining, leaving and serving take the same time however long it is, and
 * nothing is allocated. (A `Set` that many join and leave has its table replaced again and again, and
 * each old table that was promoted to V8's old space keeps all later ones, with what was in them.)
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
 * sources for ever, and a signal with a listener is kept even when nothing can abort it any more. Nor is
 * it for `AbortSignal.timeout`: the garbage collector takes the timeout away, and it never comes.
 */
export class LinkedSignal implements Disposable {
  readonly #controller = newSharedController();
  readonly #stops: (() => void)[] = [];

  constructor(sources: Iterable<AbortSignal>) {
    for (const source of sources) {
      if (this.signal.aborted) return;
      this.#listenTo(source);
    }
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

  #listenTo(source: AbortSignal): void {
    const listener = { handleEvent: () => this.abort(source.reason) };
    if (source.aborted) return listener.handleEvent();
    listenForAbort(source, listener);
    this.#stops.push(() => unlistenForAbort(source, listener));
  }
}

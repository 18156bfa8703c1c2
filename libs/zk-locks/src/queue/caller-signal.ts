import { callAll } from '../session/call-all.js';

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

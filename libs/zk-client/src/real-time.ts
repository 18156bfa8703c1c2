/**
 * Time functions and turns of the event loop as they are when the library is loaded. Sessions use
 * these even if a test fakes the globals, just as servers do. What callers wait for uses the
 * globals.
 */
export const {
  Date,
  clearImmediate,
  clearInterval,
  clearTimeout,
  queueMicrotask,
  setImmediate,
  setInterval,
  setTimeout,
} = globalThis;

export const nextTick = process.nextTick.bind(process);

/** A copy, because fake timers may change the object itself. */
export const performance = { now: globalThis.performance.now.bind(globalThis.performance) };

/*
 * Time and turns of the event loop, as they are when the library is loaded. Sessions go on in them where
 * a test fakes the globals, as servers do. What callers wait for follows the globals.
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

/** Fake timers may change the object itself. */
export const performance = { now: globalThis.performance.now.bind(globalThis.performance) };

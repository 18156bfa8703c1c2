/*
 * Time and turns of the event loop, as they are when the client is loaded. Servers know nothing of the
 * fake timers of a test: a connection that followed those would lose its session.
 */
export const {
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

/*
 * Time and turns of the event loop as they were when the client was loaded. A test's fake timers
 * mean nothing to servers: a connection that followed them would lose its session.
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

/** Copied, because fake timers may change the object itself. */
export const performance = { now: globalThis.performance.now.bind(globalThis.performance) };

'use strict';

/** The longest wait of a timer, 24.8 days, is over at once. */
const LONGEST_MS = 2 ** 31 - 1;
const wait = globalThis.setTimeout;
globalThis.setTimeout = (listener, ms, ...rest) =>
  wait(listener, ms >= LONGEST_MS ? 1 : ms, ...rest);

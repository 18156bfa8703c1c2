type WithTickCallback = typeof process & { _tickCallback(): void };

/**
 * Runs all `process.nextTick` callbacks and promise jobs, as Node does behind each callback of its
 * event loop. It does nothing inside of one of these: a simulation has to run in a real timer.
 */
export function drain(): void {
  (process as WithTickCallback)._tickCallback();
}

/**
 * Calls all of them, also where one throws: as with listeners of an `EventTarget`, that is an uncaught
 * exception, later. Often it is the user's logger that does, and others must hear of a loss all the same.
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

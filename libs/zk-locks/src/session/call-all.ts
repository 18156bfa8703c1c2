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

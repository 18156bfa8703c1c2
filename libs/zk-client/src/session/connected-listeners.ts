import type { SessionLease } from './session-lease.js';

interface Waiter {
  readonly onConnected: (lease: SessionLease) => void;
  readonly onRefused?: (error: Error) => void;
}

/** The calls that wait for the next connection. */
export class ConnectedListeners {
  readonly #waiters = new Set<Waiter>();

  /** Called when there is a connection. */
  tell(lease: SessionLease): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const { onConnected } of waiters) onConnected(lease);
  }

  /** Rejects the pending calls of {@link next}. */
  refuse(error: Error): void {
    for (const { onRefused } of [...this.#waiters]) onRefused?.(error);
  }

  /**
   * Resolves with the lease of the next connection. Rejects with the reason of `stop` when that
   * aborts first.
   */
  next(stop: AbortSignal): Promise<SessionLease> {
    return new Promise((resolve, reject) => {
      const onStop = (): void => waiter.onRefused(stop.reason as Error);
      const forget = (): void => {
        stop.removeEventListener('abort', onStop);
        this.#waiters.delete(waiter);
      };
      const waiter = {
        onConnected: (lease: SessionLease): void => {
          forget();
          resolve(lease);
        },
        onRefused: (error: Error): void => {
          forget();
          reject(error);
        },
      };
      if (stop.aborted) return onStop();
      this.#waiters.add(waiter);
      stop.addEventListener('abort', onStop, { once: true });
    });
  }

  /**
   * Resolves with true when the next connection belongs to the session of `lease`, and with false
   * once that session is over.
   */
  isNextOf(lease: SessionLease): Promise<boolean> {
    return new Promise((resolve) => {
      const onLeaseEnd = (): void => {
        this.#waiters.delete(waiter);
        resolve(false);
      };
      const listener = { onLeaseEnd };
      const onConnected = (connected: SessionLease): void => {
        lease.unlisten(listener);
        resolve(connected === lease);
      };
      const waiter = { onConnected };
      this.#waiters.add(waiter);
      lease.listen(listener);
    });
  }
}

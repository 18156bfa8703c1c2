import type { SessionLease } from './session-lease.js';

/** Those who wait for a connection, each told once. */
export class ConnectedListeners {
  readonly #listeners = new Set<(lease: SessionLease) => void>();
  readonly #refused = new Set<(error: Error) => void>();

  /** Tells everybody who waits now. */
  tell(lease: SessionLease): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener(lease);
  }

  /** Rejects all calls of {@link next} that wait now. */
  refuse(error: Error): void {
    for (const reject of [...this.#refused]) reject(error);
  }

  /** The lease of the next connection. Rejects with the reason of `stop` when that aborts first. */
  next(stop: AbortSignal): Promise<SessionLease> {
    return new Promise((resolve, reject) => {
      const onConnected = (lease: SessionLease): void => {
        forget();
        resolve(lease);
      };
      const onRefused = (error: Error): void => {
        forget();
        reject(error);
      };
      const onStop = (): void => onRefused(stop.reason as Error);
      const forget = (): void => {
        stop.removeEventListener('abort', onStop);
        this.#listeners.delete(onConnected);
        this.#refused.delete(onRefused);
      };
      if (stop.aborted) return onStop();
      this.#listeners.add(onConnected);
      this.#refused.add(onRefused);
      stop.addEventListener('abort', onStop, { once: true });
    });
  }

  /** Whether the next connection is one of the session of `lease`; false once that is over. */
  isNextOf(lease: SessionLease): Promise<boolean> {
    return new Promise((resolve) => {
      const onLeaseEnd = (): void => {
        this.#listeners.delete(onConnected);
        resolve(false);
      };
      const listener = { onLeaseEnd };
      const onConnected = (connected: SessionLease): void => {
        lease.unlisten(listener);
        resolve(connected === lease);
      };
      this.#listeners.add(onConnected);
      lease.listen(listener);
    });
  }
}

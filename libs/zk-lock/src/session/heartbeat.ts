import type { SessionLease } from './session-lease.js';

/** Its period is this part of the session timeout. */
const PERIOD = 1 / 6;

/** Whatever the server calls a session timeout, it is not asked more often than this. */
const SHORTEST_PERIOD_MS = 10;

/** Asks for a proof that a session lives, again and again, one question at a time. */
export class Heartbeat {
  #lastRoundTripMs: number | undefined;

  /** @param ask sends the question, and has the lease count its answer */
  constructor(private readonly ask: (lease: SessionLease) => Promise<void>) {}

  /** How long the latest answer took, in milliseconds. */
  get lastRoundTripMs(): number | undefined {
    return this.#lastRoundTripMs;
  }

  /** @param onTick called each time, whether anything is asked or not @returns what stops it */
  start(lease: SessionLease, onTick: () => void): () => void {
    let isOutstanding = false;
    const timer = setInterval(
      () => {
        onTick();
        if (isOutstanding) return;
        isOutstanding = true;
        void this.beat(lease).finally(() => (isOutstanding = false));
      },
      Math.max(SHORTEST_PERIOD_MS, lease.timeoutMs * PERIOD),
    );
    return () => clearInterval(timer);
  }

  async beat(lease: SessionLease): Promise<void> {
    const sentAt = performance.now();
    try {
      await this.ask(lease);
      this.#lastRoundTripMs = Math.round((performance.now() - sentAt) * 10) / 10;
    } catch {
      // The end of the connection, or of the session, is told elsewhere.
    }
  }
}

import type { SessionLease } from './session-lease.js';

/** Its period is this part of the session timeout. */
const PERIOD = 1 / 6;

/** Whatever the server calls a session timeout, it is not asked more often than this. */
const SHORTEST_PERIOD_MS = 10;

/**
 * Keeps a lease: asks again and again for a proof that its session lives, one question at a time, and
 * ends it at its deadline, which moves on with every proof.
 */
export class Heartbeat {
  #beats: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #lastRoundTripMs: number | undefined;

  /** @param ask sends the question, and has the lease count its answer */
  constructor(private readonly ask: (lease: SessionLease) => Promise<void>) {}

  /** How long the latest answer took, in milliseconds. */
  get lastRoundTripMs(): number | undefined {
    return this.#lastRoundTripMs;
  }

  /** There is somebody to ask. */
  start(lease: SessionLease): void {
    let isOutstanding = false;
    this.#beats = setInterval(
      () => {
        // The deadline's own timer would be late after a pause of the machine, which it does not count.
        this.watch(lease);
        if (isOutstanding) return;
        isOutstanding = true;
        void this.#beat(lease).finally(() => (isOutstanding = false));
      },
      Math.max(SHORTEST_PERIOD_MS, lease.timeoutMs * PERIOD),
    );
  }

  /** There is nobody to ask. The deadline stays. */
  pause(): void {
    clearInterval(this.#beats);
  }

  /** The lease is over, or given up. */
  stop(): void {
    clearTimeout(this.#deadline);
  }

  /** Ends the lease where its deadline has passed, else as soon as it does. */
  watch(lease: SessionLease): void {
    clearTimeout(this.#deadline);
    if (!lease.isValid()) {
      if (lease.lossReason) return;
      void this.#beat(lease);
    }
    this.#deadline = setTimeout(() => this.watch(lease), Math.max(1, lease.msLeft()));
  }

  async #beat(lease: SessionLease): Promise<void> {
    const sentAt = performance.now();
    try {
      await this.ask(lease);
      this.#lastRoundTripMs = Math.round((performance.now() - sentAt) * 10) / 10;
    } catch {
      // The end of the connection, or of the session, is told elsewhere.
    }
  }
}

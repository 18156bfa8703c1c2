import { heartbeatMs } from './lease-deadline.js';
import type { SessionLease } from './session-lease.js';
import { clearInterval, clearTimeout, performance, setInterval, setTimeout } from '../real-time.js';

/** Whatever the server calls a session timeout, it is not asked more often than this. */
const SHORTEST_PERIOD_MS = 10;

/** A timer may fire so much early. */
const TIMER_GRAIN_MS = 2;

/**
 * Keeps a lease: asks again and again for a proof that its session lives, one question at a time, and
 * ends it at its deadline, which moves on with every proof.
 */
export class Heartbeat {
  #beats: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #confirmation: NodeJS.Timeout | undefined;
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
      Math.max(SHORTEST_PERIOD_MS, heartbeatMs(lease.timeoutMs)),
    );
  }

  /** There is nobody to ask. The deadline stays. */
  pause(): void {
    clearInterval(this.#beats);
  }

  /**
   * Asks at once for the proofs that an uncertain lease needs: a first request; a proof sent so late
   * that the follower has reported that request; and a second proof behind it (see {@link LeaseDeadline}).
   */
  confirm(lease: SessionLease): void {
    clearTimeout(this.#confirmation);
    this.#watchLater(lease);
    const again = (): void => void this.#beat(lease).then(() => this.#beat(lease));
    void this.#beat(lease).then(() => {
      if (lease.lossReason) return;
      this.#confirmation = setTimeout(again, lease.reportMs + TIMER_GRAIN_MS);
    });
  }

  /** The lease is over, or given up. */
  stop(): void {
    clearTimeout(this.#confirmation);
    clearTimeout(this.#deadline);
  }

  /** Ends the lease where its deadline has passed, else as soon as it does. */
  watch(lease: SessionLease): void {
    clearTimeout(this.#deadline);
    if (lease.isValid() || !lease.lossReason) this.#watchLater(lease);
  }

  #watchLater(lease: SessionLease): void {
    clearTimeout(this.#deadline);
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

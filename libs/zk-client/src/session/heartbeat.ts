import { heartbeatMs } from './lease-deadline.js';
import type { LeaseChecker, SessionLease } from './session-lease.js';
import { clearInterval, clearTimeout, performance, setInterval, setTimeout } from '../real-time.js';

/** The shortest period, however short the session timeout is. */
const SHORTEST_PERIOD_MS = 10;

/** A timer may fire this much early. */
const TIMER_GRAIN_MS = 2;

/**
 * Requests proofs that the session of a lease is alive, once per period and one request at a time.
 * Ends the lease at its deadline, which every proof extends.
 */
export class Heartbeat implements LeaseChecker {
  #beats: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #confirmation: NodeJS.Timeout | undefined;
  #lastRoundTripMs: number | undefined;

  /** @param ask sends the request, and records its answer in the lease */
  constructor(private readonly ask: (lease: SessionLease) => Promise<void>) {}

  /** How long the latest answer took, in milliseconds. */
  get lastRoundTripMs(): number | undefined {
    return this.#lastRoundTripMs;
  }

  /** Called when there is a connection: starts sending heartbeats. */
  start(lease: SessionLease): void {
    let isOutstanding = false;
    this.#beats = setInterval(
      () => {
        // The timer for the deadline does not count a pause of the machine, and fires late after
        // one.
        this.checkDeadline(lease);
        if (isOutstanding) return;
        isOutstanding = true;
        void this.#beat(lease).finally(() => (isOutstanding = false));
      },
      Math.max(SHORTEST_PERIOD_MS, heartbeatMs(lease.timeoutMs)),
    );
  }

  /** Called when the connection is lost. The lease still ends at its deadline. */
  pause(): void {
    clearInterval(this.#beats);
  }

  /**
   * Immediately requests the proofs that an uncertain lease needs: a first request, a proof that is
   * sent so late that the follower has reported that request, and a second proof after it (see
   * {@link LeaseDeadline}).
   */
  confirm(lease: SessionLease): void {
    clearTimeout(this.#confirmation);
    this.checkDeadlineLater(lease);
    const again = (): void => void this.#beat(lease).then(() => this.#beat(lease));
    void this.#beat(lease).then(() => {
      if (lease.lossReason) return;
      clearTimeout(this.#confirmation);
      this.#confirmation = setTimeout(again, lease.reportMs + TIMER_GRAIN_MS);
    });
  }

  /** Called when the lease is over. */
  stop(): void {
    clearTimeout(this.#confirmation);
    clearTimeout(this.#deadline);
  }

  /** Ends the lease if its deadline has passed; otherwise checks again at the deadline. */
  checkDeadline(lease: SessionLease): void {
    clearTimeout(this.#deadline);
    if (lease.check() || !lease.lossReason) this.checkDeadlineLater(lease);
  }

  /** At the deadline, or at the first margin before it. */
  checkDeadlineLater(lease: SessionLease): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.checkDeadline(lease), Math.max(1, lease.msUntilCheck()));
  }

  async #beat(lease: SessionLease): Promise<void> {
    const sentAt = performance.now();
    try {
      await this.ask(lease);
      this.#lastRoundTripMs = Math.round((performance.now() - sentAt) * 10) / 10;
    } catch {
      // The session hears of the end of the connection by itself.
    }
  }
}

import type { SessionCredentials } from '../port/zookeeper-client.js';
import { longestMarginMs, refuseLongMargin } from './lease-deadline.js';
import { LeaseDeadlines, LeaseValidity } from './lease-validity.js';
import type { Clock } from './clock.js';
import type { SessionLossReason } from './session-state.js';

/**
 * One session id, and how long it certainly lives: {@link LeaseValidity}, to the deadline itself.
 */
export class SessionLease extends LeaseValidity {
  readonly #credentials: SessionCredentials;
  /** Those that a grant depends on. */
  readonly #margins = new Set<LeaseValidity>();
  #grantedTimeoutMs: number;

  /** @param attachedAt when the connect request that made the session was sent */
  constructor(
    credentials: SessionCredentials,
    timeoutMs: number,
    tickTimeMs: number,
    clock: Clock,
    attachedAt: number,
  ) {
    super(new LeaseDeadlines(timeoutMs, tickTimeMs, clock, attachedAt));
    this.#credentials = credentials;
    this.#grantedTimeoutMs = timeoutMs;
  }

  /** Keep out of logs: with the password, any client can take part in the session. */
  get credentials(): SessionCredentials {
    return this.#credentials;
  }

  get sessionId(): string {
    return this.#credentials.id;
  }

  /** The smallest session timeout ever granted, in milliseconds: the one that counts. */
  get timeoutMs(): number {
    return this.deadlines.byClock.timeoutMs;
  }

  /** The session timeout granted on the latest connection, in milliseconds. */
  get grantedTimeoutMs(): number {
    return this.#grantedTimeoutMs;
  }

  /** How long a follower may take to report the session to the leader, in milliseconds. */
  get reportMs(): number {
    return this.deadlines.reportMs;
  }

  /** Set once the lease is over. */
  override get lossReason(): SessionLossReason | undefined {
    return super.lossReason as SessionLossReason | undefined;
  }

  /**
   * The same lease for those who have to know so long before its deadline.
   *
   * @throws {ZkLockConfigError} where healthy sessions of this timeout would be within the margin
   */
  within(marginMs: number): LeaseValidity {
    if (marginMs === 0 || this.lossReason) return this;
    refuseLongMargin(marginMs, this.timeoutMs, this.deadlines.tickTimeMs);
    for (const known of this.#margins) if (known.marginMs === marginMs) return known;
    return new LeaseValidity(this.deadlines, marginMs, this);
  }

  /** Whether such a margin can be kept, and the lease has more than that left. */
  isValidWithin(marginMs: number): boolean {
    if (marginMs === 0) return this.isValid();
    const isShortEnough = longestMarginMs(this.timeoutMs, this.deadlines.tickTimeMs) >= marginMs;
    return isShortEnough && this.within(marginMs).isValid();
  }

  /** As {@link isValid}, also for those with a margin, who hear of it. */
  check(): boolean {
    for (const margin of this.#margins) margin.isValid();
    return this.isValid();
  }

  /** Milliseconds until {@link check} has to be asked again; 0 or less when that is due. */
  msUntilCheck(): number {
    let least = this.msLeft();
    for (const margin of this.#margins) least = Math.min(least, margin.msLeft());
    return least;
  }

  /**
   * A connect request sent at `sentAt` was answered, but nothing else yet: the server has set its
   * own timeout, from then on.
   */
  connecting(sentAt: number, timeoutMs: number): void {
    this.deadlines.connecting(sentAt, timeoutMs);
  }

  /** The session was attached to a new connection by a request sent at `sentAt`. */
  reattached(sentAt: number, timeoutMs: number): void {
    this.#grantedTimeoutMs = timeoutMs;
    this.deadlines.attached(sentAt, timeoutMs);
    const longestMs = longestMarginMs(this.timeoutMs, this.deadlines.tickTimeMs);
    for (const margin of this.#margins) {
      if (margin.marginMs > longestMs) margin.end('session-too-short');
      else margin.onProof();
    }
    this.onProof();
  }

  /** A request sent at `sentAt` was answered. `isProof`: after a round trip to the leader. */
  answered(sentAt: number, { isProof }: { isProof: boolean }): void {
    this.deadlines.answered(sentAt, isProof);
    for (const margin of this.#margins) margin.onAnswer(isProof);
    this.onAnswer(isProof);
  }

  /** A grant depends on a margin. */
  marginUsed(margin: LeaseValidity): void {
    this.#margins.add(margin);
    for (const listener of this.listeners()) listener.onMarginUsed?.();
  }

  marginUnused(margin: LeaseValidity): void {
    this.#margins.delete(margin);
  }

  protected override onEnd(): void {
    const reason = this.lossReason;
    if (reason) for (const margin of [...this.#margins]) margin.end(reason);
  }
}

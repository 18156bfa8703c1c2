import type { SessionCredentials } from '../port/zookeeper-client.js';
import { LeaseDeadlines, LeaseValidity } from './lease-validity.js';
import type { Clock } from './clock.js';
import type { SessionLossReason } from './session-state.js';

/**
 * One session id, and how long the session certainly lives: a {@link LeaseValidity} up to the
 * deadline itself. The session's locks are lost by a margin before that.
 */
export class SessionLease extends LeaseValidity {
  readonly #credentials: SessionCredentials;
  readonly #marginMs: number;
  /** Undefined without a margin. */
  #holding: LeaseValidity | undefined;
  #grantedTimeoutMs: number;

  /**
   * @param attachedAt when the connect request that created the session was sent
   * @param marginMs how long before the deadline its locks are lost
   */
  constructor(
    credentials: SessionCredentials,
    timeoutMs: number,
    tickTimeMs: number,
    clock: Clock,
    attachedAt: number,
    marginMs = 0,
  ) {
    super(new LeaseDeadlines(timeoutMs, tickTimeMs, clock, attachedAt), 0, () => this.#ask());
    this.#credentials = credentials;
    this.#grantedTimeoutMs = timeoutMs;
    this.#marginMs = marginMs;
    if (marginMs > 0) this.#holding = this.#newHolding();
  }

  /** Must not be logged: with the password, any client can take part in the session. */
  get credentials(): SessionCredentials {
    return this.#credentials;
  }

  get sessionId(): string {
    return this.#credentials.id;
  }

  /** The smallest session timeout ever granted, in milliseconds, which is the one that counts. */
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
   * The validity that locks depend on. When the margin is reached, it is over for the current
   * locks, and another one is used for those that are granted later.
   */
  get holding(): LeaseValidity {
    if (this.lossReason || !this.#holding) return this;
    if (this.#holding.lossReason) {
      this.#holding = this.#newHolding();
      for (const listener of this.listeners()) listener.onLeaseDueSooner?.();
    }
    return this.#holding;
  }

  /** Like {@link isValid}, also for its locks, which are notified. */
  check(): boolean {
    this.#holding?.isValid();
    return this.isValid();
  }

  /** Milliseconds until {@link check} has to be called again; 0 or less when that is due. */
  msUntilCheck(): number {
    const holding = this.#holding;
    const isHolding = holding && !holding.lossReason;
    return Math.min(this.msLeft(), isHolding ? holding.msLeft() : Infinity);
  }

  /**
   * A connect request sent at `sentAt` was answered, but nothing else yet: the server has set its
   * own timeout from then on.
   */
  connecting(sentAt: number, timeoutMs: number): void {
    this.deadlines.connecting(sentAt, timeoutMs);
  }

  /** The session was attached to a new connection by a request sent at `sentAt`. */
  reattached(sentAt: number, timeoutMs: number): void {
    this.#grantedTimeoutMs = timeoutMs;
    this.deadlines.attached(sentAt, timeoutMs);
    this.#holding?.onProof();
    this.onProof();
  }

  /** A request sent at `sentAt` was answered. `isProof`: after a round trip to the leader. */
  answered(sentAt: number, { isProof }: { isProof: boolean }): void {
    this.deadlines.answered(sentAt, isProof);
    this.#holding?.onAnswer(isProof);
    this.onAnswer(isProof);
  }

  protected override onEnd(): void {
    const reason = this.lossReason;
    if (reason) this.#holding?.end(reason);
  }

  #newHolding(): LeaseValidity {
    return new LeaseValidity(this.deadlines, this.#marginMs, () => this.#ask());
  }

  #ask(): void {
    for (const listener of this.listeners()) listener.onLeaseUncertain?.();
  }
}

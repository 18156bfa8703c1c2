import type { SessionCredentials } from '../client/zookeeper-client.js';
import { callAll } from './call-all.js';
import type { Clock } from './clock.js';
import { LeaseRecord } from './lease-record.js';
import { reportMs } from './lease-times.js';
import type { SessionLossReason } from './session-state.js';

export interface LeaseListener {
  /** The lease is over, once and for all. */
  onLeaseEnd(reason: SessionLossReason): void;
  /** The clock cannot tell whether the lease is valid until the server has confirmed it. */
  onLeaseUncertain?(): void;
}

/**
 * One session id, and how long it certainly lives.
 *
 * `isValid()` compares the clock with the lease deadline at the moment of asking. Once the deadline
 * has passed the lease is over for good, whatever the server may say later, with one exception: when
 * the time passed in a pause of the machine or a change of its clock, the lease is only *invalid*
 * until the server confirms the session again. It is over if that takes longer than half the session
 * timeout and the time of a report, or until the deadline has passed without the time of the pause:
 * where the clock was only set, the session ends no later.
 */
export class SessionLease {
  readonly #credentials: SessionCredentials;
  readonly #record: LeaseRecord;
  readonly #listeners = new Set<LeaseListener>();
  readonly #uncertain = new Set<() => void>();
  #grantedTimeoutMs: number;
  #lossReason: SessionLossReason | undefined;
  #addedMsSeen: number;
  #addedMsAtAnswer: number;
  #confirmBy: number | undefined;

  /** @param attachedAt when the connect request that made the session was sent */
  constructor(
    credentials: SessionCredentials,
    timeoutMs: number,
    private readonly tickTimeMs: number,
    private readonly clock: Clock,
    attachedAt: number,
  ) {
    this.#credentials = credentials;
    this.#grantedTimeoutMs = timeoutMs;
    this.#record = new LeaseRecord(timeoutMs, tickTimeMs, attachedAt);
    this.#addedMsSeen = clock.addedMs;
    this.#addedMsAtAnswer = clock.addedMs;
  }

  /** With the password, by which anybody could take part in the session: not for logs. */
  get credentials(): SessionCredentials {
    return this.#credentials;
  }

  get sessionId(): string {
    return this.#credentials.id;
  }

  /** The smallest session timeout ever granted, in milliseconds: the one that counts. */
  get timeoutMs(): number {
    return this.#record.timeoutMs;
  }

  /** The session timeout granted on the latest connection, in milliseconds. */
  get grantedTimeoutMs(): number {
    return this.#grantedTimeoutMs;
  }

  /** How long a follower may take to report the session to the leader, in milliseconds. */
  get reportMs(): number {
    return reportMs(this.tickTimeMs);
  }

  /** Set once the lease is over. */
  get lossReason(): SessionLossReason | undefined {
    return this.#lossReason;
  }

  /**
   * A connect request sent at `sentAt` was answered, but nothing else yet: the server has set its
   * own timeout, from then on.
   */
  connecting(sentAt: number, timeoutMs: number): void {
    this.#record.connecting(sentAt, timeoutMs);
  }

  /** The session was attached to a new connection by a request sent at `sentAt`. */
  reattached(sentAt: number, timeoutMs: number): void {
    this.#grantedTimeoutMs = timeoutMs;
    this.#record.attached(sentAt, timeoutMs);
    this.#onProof();
  }

  /** A request sent at `sentAt` was answered. `isProof`: after a round trip to the leader. */
  answered(sentAt: number, { isProof }: { isProof: boolean }): void {
    const answeredAt = this.clock.now();
    if (this.clock.addedMs > this.#addedMsAtAnswer) this.#record.clockJumped();
    this.#addedMsAtAnswer = this.clock.addedMs;
    this.#record.answered(sentAt, answeredAt, isProof);
    if (isProof) this.#onProof();
  }

  /** Whether the session certainly lives now. Ends the lease, and tells everybody, if it does not. */
  isValid(): boolean {
    if (this.#lossReason) return false;
    const msLeft = this.msLeft();
    if (msLeft > 0) return this.#confirmBy === undefined;
    const pausedMs = this.clock.addedMs - this.#addedMsSeen;
    if (this.#confirmBy === undefined && msLeft + pausedMs > 0) {
      const waitMs = Math.min(this.timeoutMs / 2 + this.reportMs, msLeft + pausedMs);
      this.#confirmBy = this.clock.now() + waitMs;
      for (const listener of [...this.#listeners]) listener.onLeaseUncertain?.();
      return false;
    }
    this.end('lease-expired');
    return false;
  }

  /** Milliseconds until `isValid()` has to be asked again; 0 or less when that is due. */
  msLeft(): number {
    const now = this.clock.now();
    return (this.#confirmBy ?? this.#record.deadline) - now;
  }

  /** Resolves when the lease is valid or over, which is at once but for a pause of the machine. */
  async whenCertain(): Promise<void> {
    if (this.isValid() || this.#lossReason) return;
    await new Promise<void>((resolve) => this.#uncertain.add(resolve));
  }

  end(reason: SessionLossReason): void {
    if (this.#lossReason) return;
    this.#lossReason = reason;
    // The latest first: the holders, before the session that does the rest.
    const listeners = [...this.#listeners].reverse();
    callAll(listeners.map((listener) => () => listener.onLeaseEnd(reason)));
    this.#listeners.clear();
    this.#tellCertain();
  }

  /** Tells `listener` when the lease ends, at once if it has. */
  listen(listener: LeaseListener): void {
    if (this.#lossReason) listener.onLeaseEnd(this.#lossReason);
    else this.#listeners.add(listener);
  }

  unlisten(listener: LeaseListener): void {
    this.#listeners.delete(listener);
  }

  #onProof(): void {
    if (this.#record.deadline <= this.clock.now()) return;
    this.#confirmBy = undefined;
    this.#addedMsSeen = this.clock.addedMs;
    this.#tellCertain();
  }

  #tellCertain(): void {
    for (const tell of this.#uncertain) tell();
    this.#uncertain.clear();
  }
}

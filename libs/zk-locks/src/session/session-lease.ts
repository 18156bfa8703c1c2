import type { SessionCredentials } from '../client/zookeeper-client.js';
import { callAll, type InLine, Line } from '../listeners.js';
import { LeaseDeadline, reportMs } from './lease-deadline.js';
import type { SessionLossReason } from './session-state.js';
import { Date, performance } from '../real-time.js';

/** The clock was set forward, or the machine stood still, beyond the deadline. */
interface Uncertainty {
  /** In running time. */
  readonly confirmBy: number;
  /** What the clock had added when the server was asked. */
  readonly addedMs: number;
}

export interface LeaseListener extends InLine<LeaseListener> {
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
 * timeout and the time of a report, or until the deadline by the time in which the machine ran: where
 * the clock was only set, the session ends no later.
 */
export class SessionLease {
  readonly #credentials: SessionCredentials;
  /** By the clock, which counts the time that the machine may have stood still. */
  readonly #byClock: LeaseDeadline;
  /** By the time in which the machine ran: right where the wall clock was only set forward. */
  readonly #byRunningTime: LeaseDeadline;
  readonly #listeners = new Line<LeaseListener>();
  readonly #uncertain = new Set<() => void>();
  #grantedTimeoutMs: number;
  #lossReason: SessionLossReason | undefined;
  #addedMsAtAnswer: number;
  #uncertainty: Uncertainty | undefined;

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
    this.#byClock = new LeaseDeadline(timeoutMs, tickTimeMs, attachedAt);
    this.#byRunningTime = new LeaseDeadline(timeoutMs, tickTimeMs, this.#toRunning(attachedAt));
    this.#addedMsAtAnswer = clock.addedMs;
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
    return this.#byClock.timeoutMs;
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
    this.#byClock.connecting(sentAt, timeoutMs);
    this.#byRunningTime.connecting(this.#toRunning(sentAt), timeoutMs);
  }

  /** The session was attached to a new connection by a request sent at `sentAt`. */
  reattached(sentAt: number, timeoutMs: number): void {
    this.#grantedTimeoutMs = timeoutMs;
    this.#byClock.attached(sentAt, timeoutMs);
    this.#byRunningTime.attached(this.#toRunning(sentAt), timeoutMs);
    this.#onProof();
  }

  /** A request sent at `sentAt` was answered. `isProof`: after a round trip to the leader. */
  answered(sentAt: number, { isProof }: { isProof: boolean }): void {
    const answeredAt = this.clock.now();
    const { addedMs } = this.clock;
    if (addedMs > this.#addedMsAtAnswer) this.#byClock.clockJumped();
    this.#addedMsAtAnswer = addedMs;
    this.#byClock.answered(sentAt, answeredAt, isProof);
    this.#byRunningTime.answered(this.#toRunning(sentAt), this.#toRunning(answeredAt), isProof);
    if (isProof) this.#onProof();
    // Set forward once more: what was asked before confirms nothing.
    if (this.#uncertainty && addedMs > this.#uncertainty.addedMs) this.#askToConfirm();
  }

  /** Whether the session certainly lives now. Ends the lease, and calls its listeners, if it does not. */
  isValid(): boolean {
    if (this.#lossReason) return false;
    if (this.msLeft() > 0) return this.#uncertainty === undefined;
    if (!this.#uncertainty && this.#runningMsLeft() > 0) this.#askToConfirm();
    else this.end('lease-expired');
    return false;
  }

  /** Milliseconds until `isValid()` has to be asked again; 0 or less when that is due. */
  msLeft(): number {
    const now = this.clock.now();
    if (!this.#uncertainty) return this.#byClock.deadline - now;
    return Math.min(this.#uncertainty.confirmBy - this.#toRunning(now), this.#runningMsLeft());
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
    const listeners = this.#listeners.takeAll().reverse();
    callAll(listeners.map((listener) => () => listener.onLeaseEnd(reason)));
    this.#tellCertain();
  }

  /** Tells `listener`, which may listen to one lease at a time, when the lease ends; at once if it has. */
  listen(listener: LeaseListener): void {
    if (this.#lossReason) listener.onLeaseEnd(this.#lossReason);
    else this.#listeners.join(listener);
  }

  unlisten(listener: LeaseListener): void {
    this.#listeners.leave(listener);
  }

  #onProof(): void {
    if (this.#byClock.deadline <= this.clock.now()) return;
    this.#uncertainty = undefined;
    this.#tellCertain();
  }

  #askToConfirm(): void {
    const confirmBy = this.#toRunning(this.clock.now()) + this.timeoutMs / 2 + this.reportMs;
    this.#uncertainty = { confirmBy, addedMs: this.clock.addedMs };
    for (const listener of this.#listeners.all()) listener.onLeaseUncertain?.();
  }

  #runningMsLeft(): number {
    return this.#byRunningTime.deadline - this.#toRunning(this.clock.now());
  }

  /** An instant of the clock without what was added so far: no later than it was in running time. */
  #toRunning(instant: number): number {
    return instant - this.clock.addedMs;
  }

  #tellCertain(): void {
    for (const tell of this.#uncertain) tell();
    this.#uncertain.clear();
  }
}

/** How far the wall clock may run ahead of the monotonic one before it counts as a pause, in ms. */
const PAUSE_THRESHOLD_MS = 250;

export interface TimeSource {
  /** Monotonic milliseconds. */
  monotonic(): number;
  /** Wall-clock milliseconds. */
  wall(): number;
}

const processTime: TimeSource = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

/**
 * A monotonic clock that also counts the time the machine was suspended.
 *
 * The system's monotonic clock may stand still while a laptop sleeps or a VM is paused; the server's
 * clock runs on. When the wall clock ran ahead, the difference is added. `addedMs` is the sum: it tells
 * such a jump, or an administrator who set the time, from time in which the process ran.
 */
export class Clock {
  #addedMs = 0;
  #lastMonotonic: number;
  #lastWall: number;

  constructor(private readonly time: TimeSource = processTime) {
    this.#lastMonotonic = time.monotonic();
    this.#lastWall = time.wall();
  }

  now(): number {
    const monotonic = this.time.monotonic();
    const wall = this.time.wall();
    const ahead = wall - this.#lastWall - (monotonic - this.#lastMonotonic);
    // Re-based only at a pause: a slow drift adds up until it counts.
    if (ahead > PAUSE_THRESHOLD_MS) {
      this.#addedMs += ahead;
    }
    if (ahead > PAUSE_THRESHOLD_MS || ahead < 0) {
      this.#lastMonotonic = monotonic;
      this.#lastWall = wall;
    }
    return monotonic + this.#addedMs;
  }

  get addedMs(): number {
    return this.#addedMs;
  }
}

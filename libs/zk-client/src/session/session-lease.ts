import { callAll, type InLine, Line } from '../listeners.js';
import type { SessionCredentials } from '../port/zookeeper-client.js';
import type { Clock } from './clock.js';
import { LeaseDeadline, reportMs } from './lease-deadline.js';
import type { SessionLossReason } from './session-state.js';

/**
 * Why a lease is over for those who depend on it; for some of them, it ends by a margin before its
 * deadline.
 */
export type LeaseLossReason = SessionLossReason | 'margin-reached';

export interface LeaseListener extends InLine<LeaseListener> {
  /** The lease is over for good. */
  onLeaseEnd(reason: LeaseLossReason): void;
}

/** Checks the lease at its deadline, and requests proofs for it: the session's heartbeat. */
export interface LeaseChecker {
  /** The clock cannot tell whether the lease is valid; the server has to confirm it. */
  confirm(lease: SessionLease): void;
  /** The lease has to be checked sooner than it was due. */
  checkDeadlineLater(lease: SessionLease): void;
}

/** When a session may end, by two clocks. */
interface Deadlines {
  readonly clock: Clock;
  /** By the clock, which counts the time during which the machine may have been paused. */
  readonly byClock: LeaseDeadline;
  /** By the time in which the machine ran: correct if the wall clock was merely stepped forward. */
  readonly byRunningTime: LeaseDeadline;
  /** How long a follower may take to report the session to the leader, in milliseconds. */
  readonly reportMs: number;
}

/**
 * An instant of the clock, minus everything that was added so far: no later than it was in running
 * time.
 */
function toRunning(instant: number, clock: Clock): number {
  return instant - clock.addedMs;
}

/** The clock was stepped forward, or the machine was paused, beyond the deadline. */
interface Uncertainty {
  /** By running time. */
  readonly confirmBy: number;
  /** The sum that the clock had added when the server was asked. */
  readonly addedMs: number;
}

/**
 * Whether a session certainly lives for longer than a margin.
 *
 * `isValid()` compares the clock with the lease deadline at the moment of the call. Once the
 * deadline has passed, the lease is over for good, whatever the server may say later, with one
 * exception: when the time passed in a pause of the machine or a change of its clock, the lease is
 * only *invalid* until the server confirms the session again. It is over if that takes longer than
 * half the session timeout plus the time of a report, or until the deadline by running time: if the
 * clock was merely stepped forward, the session may end at that deadline.
 */
export class LeaseValidity {
  readonly #listeners = new Line<LeaseListener>();
  readonly #uncertain = new Set<() => void>();
  #lossReason: LeaseLossReason | undefined;
  #uncertainty: Uncertainty | undefined;

  /**
   * @param marginMs how much earlier it ends
   * @param onUncertain called when the server has to confirm the session
   */
  constructor(
    protected readonly deadlines: Deadlines,
    readonly marginMs: number,
    private readonly onUncertain: () => void,
  ) {}

  /** Set once it is over. */
  get lossReason(): LeaseLossReason | undefined {
    return this.#lossReason;
  }

  /**
   * Whether the session certainly lives now. If it does not, the lease ends and its listeners are
   * called.
   */
  isValid(): boolean {
    if (this.lossReason) return false;
    if (this.msLeft() > 0) return this.#uncertainty === undefined;
    if (!this.#uncertainty && this.#runningMsLeft() > 0) this.#askToConfirm();
    else this.end(this.marginMs > 0 ? 'margin-reached' : 'lease-expired');
    return false;
  }

  /** Milliseconds until `isValid()` has to be called again; 0 or less when that is due. */
  msLeft(): number {
    const { clock } = this.deadlines;
    const now = clock.now();
    if (!this.#uncertainty) return this.#deadline - now;
    return Math.min(this.#uncertainty.confirmBy - toRunning(now, clock), this.#runningMsLeft());
  }

  /** Resolves when the lease is valid or over: immediately, except after a pause of the machine. */
  async whenCertain(): Promise<void> {
    if (this.isValid() || this.lossReason) return;
    await new Promise<void>((resolve) => this.#uncertain.add(resolve));
  }

  end(reason: LeaseLossReason): void {
    if (this.#lossReason) return;
    this.#lossReason = reason;
    this.onEnd();
    // The latest first: the holders, and then the session, which does the rest.
    const listeners = this.#listeners.takeAll().reverse();
    callAll(listeners.map((listener) => () => listener.onLeaseEnd(reason)));
    this.#tellCertain();
  }

  /**
   * Calls `listener`, which may listen to one lease at a time, when the lease ends; immediately if
   * it has.
   */
  listen(listener: LeaseListener): void {
    const { lossReason } = this;
    if (lossReason) return listener.onLeaseEnd(lossReason);
    this.#listeners.join(listener);
  }

  unlisten(listener: LeaseListener): void {
    this.#listeners.leave(listener);
  }

  /** Called when the session was proved to be alive. */
  onProof(): void {
    if (!this.#uncertainty || this.#deadline <= this.deadlines.clock.now()) return;
    this.#uncertainty = undefined;
    this.#tellCertain();
  }

  /** Called when an answer has been recorded. */
  onAnswer(isProof: boolean): void {
    if (isProof) this.onProof();
    const { addedMs } = this.deadlines.clock;
    // The clock was stepped forward again, so earlier requests confirm nothing.
    if (this.#uncertainty && addedMs > this.#uncertainty.addedMs) this.#askToConfirm();
  }

  /** Called before the listeners are notified of the end. */
  protected onEnd(): void {
    // A lease ends what its holders depend on.
  }

  get #deadline(): number {
    return this.deadlines.byClock.deadline - this.marginMs;
  }

  #askToConfirm(): void {
    const { clock, byClock, reportMs: reporting } = this.deadlines;
    const now = toRunning(clock.now(), clock);
    const confirmBy = now + byClock.timeoutMs / 2 + reporting;
    this.#uncertainty = { confirmBy, addedMs: clock.addedMs };
    this.onUncertain();
  }

  #runningMsLeft(): number {
    const { byRunningTime, clock } = this.deadlines;
    return byRunningTime.deadline - this.marginMs - toRunning(clock.now(), clock);
  }

  #tellCertain(): void {
    for (const tell of this.#uncertain) tell();
    this.#uncertain.clear();
  }
}

/**
 * One session id, and how long the session certainly lives: a {@link LeaseValidity} up to the
 * deadline itself. The session's locks are lost by a margin before that.
 */
export class SessionLease extends LeaseValidity {
  /** Set with the first connection. */
  checker: LeaseChecker | undefined;
  readonly #credentials: SessionCredentials;
  readonly #marginMs: number;
  /** Undefined without a margin. */
  #holding: LeaseValidity | undefined;
  #grantedTimeoutMs: number;
  #addedMsAtAnswer: number;

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
    const deadlines = {
      clock,
      byClock: new LeaseDeadline(timeoutMs, tickTimeMs, attachedAt),
      byRunningTime: new LeaseDeadline(timeoutMs, tickTimeMs, toRunning(attachedAt, clock)),
      reportMs: reportMs(tickTimeMs),
    };
    super(deadlines, 0, () => this.checker?.confirm(this));
    this.#addedMsAtAnswer = clock.addedMs;
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
      this.checker?.checkDeadlineLater(this);
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
    const { clock, byClock, byRunningTime } = this.deadlines;
    byClock.connecting(sentAt, timeoutMs);
    byRunningTime.connecting(toRunning(sentAt, clock), timeoutMs);
    // A timer of a closed session would keep the process running.
    if (!this.lossReason) this.checker?.checkDeadlineLater(this);
  }

  /** The session was attached to a new connection by a request sent at `sentAt`. */
  reattached(sentAt: number, timeoutMs: number): void {
    this.#grantedTimeoutMs = timeoutMs;
    const { clock, byClock, byRunningTime } = this.deadlines;
    byClock.attached(sentAt, timeoutMs);
    byRunningTime.attached(toRunning(sentAt, clock), timeoutMs);
    this.#holding?.onProof();
    this.onProof();
  }

  /** A request sent at `sentAt` was answered. `isProof`: after a round trip to the leader. */
  answered(sentAt: number, { isProof }: { isProof: boolean }): void {
    const { clock, byClock, byRunningTime } = this.deadlines;
    const answeredAt = clock.now();
    const { addedMs } = clock;
    if (addedMs > this.#addedMsAtAnswer) byClock.clockJumped();
    this.#addedMsAtAnswer = addedMs;
    byClock.answered(sentAt, answeredAt, isProof);
    byRunningTime.answered(toRunning(sentAt, clock), toRunning(answeredAt, clock), isProof);
    this.#holding?.onAnswer(isProof);
    this.onAnswer(isProof);
  }

  protected override onEnd(): void {
    const reason = this.lossReason;
    if (reason) this.#holding?.end(reason);
  }

  #newHolding(): LeaseValidity {
    return new LeaseValidity(this.deadlines, this.#marginMs, () => this.checker?.confirm(this));
  }
}

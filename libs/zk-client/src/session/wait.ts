import { setTimeout as sleep } from 'node:timers/promises';
import { type InLine, LazySignal, listenForAbort, unlistenForAbort } from '../listeners.js';
import { MAX_TIMER_MS } from '../limits.js';
import { clearImmediate, setImmediate } from '../real-time.js';
import { ZkClosedError, ZooKeeperUnavailableError } from '../zk-lock-error.js';
import { backoffDelay } from './backoff.js';
import { refusalRemedy } from './connect-problems.js';
import type { Session } from './session.js';

export interface WaitLimits {
  /** 0 for a single try, which ends as soon as a contender is in the way. */
  readonly timeoutMs: number;
  /**
   * How long a single try waits for ZooKeeper's answers, in milliseconds. Other waits ignore it.
   */
  readonly answerWithinMs?: number;
  readonly onTimeout: (isBlocked: boolean) => Error;
  readonly signal?: AbortSignal | undefined;
  readonly onAbort: (reason: unknown) => Error;
  /** Called whenever another contender is found in the way. */
  readonly onBlocked?: (() => void) | undefined;
}

/** The shortest time that a single try waits for a kept lock: {@link Wait.tolerateBlocker}. */
const LEAST_TOLERANCE_MS = 100;
const TOLERANCE = 5;

/** What a wait is currently waiting for. */
export interface Step {
  /** Called when the wait is over and no call waits for this step any more. */
  fail(error: Error): void;
}

/**
 * One deadline for a whole acquire: its timeout, the caller's signal and the closing of the service
 * end the same wait, whatever it is waiting for at that moment.
 */
export class Wait implements InLine<Wait> {
  previous: Wait | undefined;
  next: Wait | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #closingTimer: NodeJS.Timeout | undefined;
  #lastRead: NodeJS.Immediate | undefined;
  /** The steps in progress. */
  #steps: readonly Step[] = [];
  readonly #end = new LazySignal<Error>();
  #isBlocked = false;
  #toleratesSince: number | undefined;
  #tolerance: NodeJS.Timeout | undefined;

  constructor(private readonly limits: WaitLimits) {
    const { signal, timeoutMs, answerWithinMs = 0 } = limits;
    const timerMs = timeoutMs === 0 ? answerWithinMs : timeoutMs;
    if (timerMs <= MAX_TIMER_MS) this.#timer = setTimeout(onTimer, timerMs, this);
    if (signal?.aborted) this.handleEvent();
    else if (signal) listenForAbort(signal, this);
  }

  /** Aborts when the wait is over; its reason is the error for the caller. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isOver(): boolean {
    return this.#end.aborted;
  }

  /** @throws the error for the caller, when the wait is over */
  throwIfOver(): void {
    const { reason } = this.#end;
    if (reason) throw reason;
  }

  /**
   * After a stall of the process, timers run before sockets are read. What has arrived by then
   * still counts.
   */
  timeOutAfterReading(): void {
    this.#lastRead = setImmediate(onTimeout, this);
  }

  /** Called when the time is over. */
  timeOut(): void {
    this.stop(this.limits.onTimeout(this.#isBlocked));
  }

  /** Called when the caller's signal aborts. */
  handleEvent(): void {
    this.stop(this.limits.onAbort(this.limits.signal?.reason));
  }

  /** Called when another contender is known to be in the way; ends a single try. */
  blocked(): void {
    this.#isBlocked = true;
    this.limits.onBlocked?.();
    if (this.limits.timeoutMs > 0) return;
    if (this.#toleratesSince === undefined) this.timeOut();
    else this.#tolerate(performance.now() - this.#toleratesSince);
  }

  /**
   * Lets a single try continue when it is blocked, for five times as long as it took until then,
   * and for at least 100 ms.
   */
  tolerateBlocker(): void {
    this.#toleratesSince = performance.now();
  }

  stop(error: Error): void {
    if (this.isOver) return;
    this.#end.abort(error);
    const steps = this.#steps;
    this.#steps = [];
    for (const step of steps) step.fail(error);
  }

  /** Ends the wait after `ms`, if it lasts that long, with an error for the caller. */
  endWithin(ms: number, newError: () => Error): void {
    this.#closingTimer = setTimeout(() => this.stop(newError()), ms);
  }

  /** Frees the timers and the listener on the caller's signal. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#closingTimer);
    clearTimeout(this.#tolerance);
    clearImmediate(this.#lastRead);
    if (this.limits.signal) unlistenForAbort(this.limits.signal, this);
  }

  /** Makes `step` fail when the wait ends; immediately if it has ended. */
  enter(step: Step): void {
    const { reason } = this.#end;
    if (reason) step.fail(reason);
    // A push would make room for 17.
    else this.#steps = this.#steps.concat(step);
  }

  /** Whether it was still in progress. */
  leave(step: Step): boolean {
    const { length } = this.#steps;
    // There are only one or two.
    this.#steps = this.#steps.filter((other) => other !== step);
    return this.#steps.length < length;
  }

  #tolerate(tookMs: number): void {
    this.#tolerance ??= setTimeout(onTimer, Math.max(LEAST_TOLERANCE_MS, TOLERANCE * tookMs), this);
  }

  /** The result of `work`, unless the wait ends first: then it rejects with the wait's error. */
  for<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => this.until(work, resolve, reject));
  }

  /** Like {@link for}, with one callback for the result and one for the error. */
  until<T>(work: Promise<T>, onDone: (result: T) => void, fail: Step['fail']): void {
    const step: Step = { fail };
    this.enter(step);
    work.then(
      (result) => {
        if (this.leave(step)) onDone(result);
      },
      (error: unknown) => {
        if (this.leave(step)) fail(error as Error);
      },
    );
  }
}

const onTimer = (wait: Wait): void => wait.timeOutAfterReading();
const onTimeout = (wait: Wait): void => wait.timeOut();

/**
 * Includes the reason why there is no connection, if it is known.
 *
 * @param what what did not happen in time, as a predicate of the servers
 * @param remedy a sentence; not used if the servers refuse the credentials
 */
export function unavailableError(
  { snapshot, connectProblem, lastFailure, isStarted }: Session,
  what: string,
  remedy: string,
): ZooKeeperUnavailableError {
  const reason = connectProblem === undefined ? '' : `: ${connectProblem}`;
  const advice =
    refusalRemedy(lastFailure) ??
    (isStarted
      ? remedy
      : 'First call start() and wait for it; in Nest, acquire locks only after the application has started.');
  return new ZooKeeperUnavailableError(
    `ZooKeeper at ${snapshot.servers} ${what}${reason}. ${advice}`,
    { cause: lastFailure },
  );
}

/**
 * Resolves when the session is established.
 *
 * @param remedy what to do besides checking the servers, as the end of the error's last sentence
 * @throws {ZooKeeperUnavailableError} when that takes longer than `timeoutMs`
 * @throws {ZkClosedError} when `closing` aborts first
 * @throws {ZkLockConfigError} when a server grants a session timeout that is too short
 */
export async function untilConnected(
  session: Session,
  timeoutMs: number,
  remedy: string,
  closing?: AbortSignal,
): Promise<void> {
  const what = `did not grant a session within ${timeoutMs} ms`;
  const advice = `Check the \`servers\` option, and that a majority of the servers is running.${remedy}`;
  using wait = new Wait({
    ...{ timeoutMs, signal: closing },
    onTimeout: () => unavailableError(session, what, advice),
    onAbort: () => new ZkClosedError(),
  });
  await session.whenConnected(wait.signal);
}

const BASE_MS = 20;
const LONGEST_MS = 1_000;

/**
 * Pauses before an attempt if several attempts have failed: a single setback is retried
 * immediately, but a server or an operator that keeps causing them does not keep the process busy.
 *
 * @param attempt how many attempts have failed; at least one
 * @throws the error of `wait` once that is over
 */
export async function retryDelay(attempt: number, wait?: Wait): Promise<void> {
  if (attempt > 1) {
    const delay = backoffDelay(attempt - 1, { baseMs: BASE_MS, capMs: LONGEST_MS });
    await sleep(delay, undefined, { signal: wait?.signal }).catch(() => undefined);
  }
  wait?.throwIfOver();
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardKind } from '../guard-kind.js';
import {
  type LockLostError,
  LockQueueFullError,
  LockAbortedError,
  LockTimeoutError,
} from '../lock-errors.js';
import {
  type InLine,
  Line,
  MAX_TIMER_MS,
  newSharedController,
  type Wait,
  ZkClosedError,
  ZooKeeperUnavailableError,
} from 'zk-client/recipes';
import { type MaxWaiting, DEFAULT_MAX_WAITING } from '../options/limits.js';
import type { FailFast } from '../queue/fail-fast.js';
import type { Grant } from './grant.js';
import type { CallKind, CallCounts, CallEvent, WaitResult } from '../telemetry/events.js';
import { channels, publish } from '../telemetry/channels.js';

interface Held extends InLine<Held> {
  readonly grant: Grant;
}

export type OnLost = (loss: LockLostError) => void;

/** All that one process holds and waits for: what keeps its session in use, and what closing ends. */
export class ActiveLocks {
  readonly #closing = newSharedController();
  readonly #waits = new Line<Wait>();
  readonly #grants = new Line<Held>();
  readonly #calls: WaitingCalls;
  /** Of waits that begin now, whatever their callers say. */
  #longestWaitMs = Infinity;
  #onAllSettled: (() => void) | undefined;
  /** Where calls are refused while there is no connection. */
  failFast: FailFast | undefined;

  /**
   * @param onLost is told of each loss of a lock whose caller gave {@link take} no listener
   * @param maxWaiting how many calls may wait
   */
  constructor(
    private readonly onLost: OnLost = () => undefined,
    maxWaiting: MaxWaiting = DEFAULT_MAX_WAITING,
  ) {
    this.#calls = new WaitingCalls(maxWaiting);
  }

  get counts(): { held: number; waiting: number } {
    return { held: this.#grants.length, waiting: this.#waits.length };
  }

  get isInUse(): boolean {
    return this.#waits.length + this.#grants.length > 0;
  }

  /** Aborts when closing begins. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  isClosing(): boolean {
    return this.closing.aborted;
  }

  /**
   * Runs one wait to its end, and keeps what it was granted.
   *
   * @param onLost is told of the loss in place of whom all others are told
   * @throws what `take` throws
   * @throws {LockQueueFullError} {@link ZooKeeperUnavailableError} before the wait begins
   * @throws {ZkClosedError} also when closing began while the answer was on its way
   */
  take<G extends Grant>(
    call: WaitingCall,
    newWait: () => Wait,
    take: (wait: Wait) => Promise<G>,
    onLost = this.onLost,
  ): Promise<G> {
    let wait: Wait;
    try {
      this.#refuseIfClosing();
      // A process stays in its elections.
      const failFast = call.kind === 'election' ? undefined : this.failFast;
      failFast?.check();
      this.#calls.enter(call);
      wait = this.#begin(newWait);
      failFast?.join(wait);
    } catch (error) {
      const refusal = error as Error;
      return Promise.reject(refusal);
    }
    // The frame of an `await` takes twice the memory of these callbacks, and 10,000 calls may wait.
    return take(wait).then(
      (grant) => {
        this.#end(wait);
        this.#calls.leave(call);
        if (this.isClosing()) return refused(grant);
        this.#add(grant, onLost);
        return grant;
      },
      (error: unknown) => {
        this.#end(wait);
        this.#calls.leave(call);
        throw error;
      },
    );
  }

  /** Takes charge of what was granted without a wait. */
  add<G extends Grant>(grant: G): Promise<G> {
    this.#add(grant, this.onLost);
    return Promise.resolve(grant);
  }

  /**
   * Runs one wait to its end.
   *
   * @throws {ZkClosedError}
   */
  async during<T>(newWait: () => Wait, work: (wait: Wait) => Promise<T>): Promise<T> {
    this.#refuseIfClosing();
    this.failFast?.check();
    const wait = this.#begin(newWait);
    this.failFast?.join(wait);
    try {
      return await work(wait);
    } finally {
      this.#end(wait);
    }
  }

  /** Ends the waits in progress now, and those still to come after `longestMs`. */
  endWaits(longestMs: number): void {
    this.#longestWaitMs = longestMs;
    for (const wait of this.#waits.all()) wait.stop(new ZkClosedError());
  }

  /** Ends the waits, gives holders `graceMs` to finish, and takes the rest away from them. */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort();
    this.endWaits(0);
    if (this.#grants.length > 0 && graceMs > 0) {
      await withinMs(graceMs, new Promise<void>((resolve) => (this.#onAllSettled = resolve)));
    }
    for (const { grant } of this.#grants.all()) grant.lose('service-closed');
  }

  #refuseIfClosing(): void {
    if (this.isClosing()) throw new ZkClosedError();
  }

  #begin(newWait: () => Wait): Wait {
    const wait = newWait();
    const limitMs = Math.min(this.#longestWaitMs, MAX_TIMER_MS);
    if (this.#longestWaitMs < Infinity) wait.endWithin(limitMs, newClosedError);
    this.#waits.join(wait);
    return wait;
  }

  #end(wait: Wait): void {
    wait[Symbol.dispose]();
    this.failFast?.leave(wait);
    this.#waits.leave(wait);
  }

  #add(grant: Grant, onLost: OnLost): void {
    const held: Held = { grant };
    this.#grants.join(held);
    grant.onSettled(() => {
      this.#grants.leave(held);
      if (this.#grants.length === 0) this.#onAllSettled?.();
      // The last, for it may throw.
      if (!grant.isReleased && grant.loss) onLost(grant.loss);
    });
  }
}

const newClosedError = (): Error => new ZkClosedError();

/** What was granted to a call that may not have it any more. */
async function refused(grant: Grant): Promise<never> {
  await grant.release();
  throw new ZkClosedError();
}

/** Waits for `work`, but not longer. */
export async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([
    work.finally(() => timeout.abort()),
    sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
}

/** A call that asks for a lock or permits. */
export interface WaitingCall {
  readonly key: string;
  readonly mode: GuardKind;
  readonly kind: CallKind;
  readonly directory: string;
  readonly timeoutMs: number;
}

/** Counts the calls that wait, for each key and in all, and refuses those beyond the limits. */
export class WaitingCalls {
  #total = 0;
  readonly #byDirectory = new Map<string, number>();

  constructor(private readonly limits: MaxWaiting) {}

  /** @throws {LockQueueFullError} */
  enter(call: WaitingCall): void {
    if (!isLimited(call)) return;
    const ofKey = this.#byDirectory.get(call.directory) ?? 0;
    if (ofKey >= this.limits.perKey) throw this.#full(call, 'perKey');
    if (this.#total >= this.limits.total) throw this.#full(call, 'total');
    this.#byDirectory.set(call.directory, ofKey + 1);
    this.#total++;
  }

  /** Of each call that has entered, once. */
  leave(call: WaitingCall): void {
    if (!isLimited(call)) return;
    const others = (this.#byDirectory.get(call.directory) ?? 0) - 1;
    if (others > 0) this.#byDirectory.set(call.directory, others);
    else this.#byDirectory.delete(call.directory);
    this.#total--;
  }

  #full({ key, mode }: WaitingCall, limit: keyof MaxWaiting): LockQueueFullError {
    return new LockQueueFullError(key, mode, `maxWaiting.${limit}`, this.limits[limit]);
  }
}

/** A single try does not wait; a process takes part in an election once. */
function isLimited({ timeoutMs, kind }: WaitingCall): boolean {
  return timeoutMs !== 0 && kind !== 'election';
}

/** As much of a call as is told of it. */
export interface ObservedCall {
  readonly kind: CallKind;
  readonly mode: GuardKind;
  readonly key: string;
  readonly pattern?: string | undefined;
  readonly label?: string | undefined;
  readonly permits?: number | undefined;
  readonly timeoutMs: number;
}

/** What was granted to it. */
export interface ObservedGrant {
  readonly fencingToken: bigint;
  readonly isReleased: boolean;
  readonly loss: LockLostError | undefined;
  onSettled(listener: () => void): void;
}

type About = Omit<CallEvent, keyof CallCounts>;

let latestId = 0;

/** Publishes the events of the calls of one connection. */
export class CallObserver {
  constructor(
    private readonly connection: string,
    private readonly counts: () => CallCounts,
  ) {}

  /** Runs a wait for something to hold. */
  take<G extends ObservedGrant>(call: ObservedCall, take: () => Promise<G>): Promise<G> {
    return isAnybodyListening() ? this.#take(call, take) : take();
  }

  /** Runs a wait of a call that holds the lock already. */
  wait<T>(call: ObservedCall, work: () => Promise<T>): Promise<T> {
    return isAnybodyListening() ? this.#wait(this.#describe(call), call, work) : work();
  }

  async #take<G extends ObservedGrant>(call: ObservedCall, take: () => Promise<G>): Promise<G> {
    const about = this.#describe(call);
    const beganAt = performance.now();
    const grant = await this.#wait(about, call, take);
    this.#hold(about, grant, performance.now() - beganAt);
    return grant;
  }

  async #wait<T>(about: About, { timeoutMs }: ObservedCall, work: () => Promise<T>): Promise<T> {
    const beganAt = performance.now();
    const end = (result: WaitResult, error?: unknown): void => {
      const durationMs = performance.now() - beganAt;
      publish('waitEnd', { ...about, timeoutMs, ...this.counts(), result, durationMs, error });
    };
    // Begun first, so that it is one of those that are counted.
    const working = work();
    publish('waitStart', { ...about, timeoutMs, ...this.counts() });
    try {
      const done = await working;
      end('granted');
      return done;
    } catch (error) {
      end(resultOf(error), error);
      throw error;
    }
  }

  #hold(about: About, grant: ObservedGrant, waitMs: number): void {
    const beganAt = performance.now();
    const isPermit = about.mode === 'permit';
    const fencingToken = isPermit ? undefined : grant.fencingToken;
    publish('holdStart', { ...about, ...this.counts(), fencingToken, waitMs });
    grant.onSettled(() => {
      const loss = grant.isReleased ? undefined : grant.loss;
      const lossReason = loss?.reason;
      publish('holdEnd', {
        ...about,
        ...this.counts(),
        fencingToken,
        waitMs,
        result: lossReason === undefined ? 'released' : 'lost',
        durationMs: performance.now() - beganAt,
        lossReason,
        brokenBy: loss?.brokenBy,
      });
    });
  }

  #describe({ kind, mode, key, pattern, label, permits }: ObservedCall): About {
    const { connection } = this;
    return { connection, id: ++latestId, kind, mode, key, pattern, label, permits };
  }
}

function isAnybodyListening(): boolean {
  const { waitStart, waitEnd, holdStart, holdEnd } = channels;
  return (
    waitEnd.hasSubscribers ||
    holdEnd.hasSubscribers ||
    waitStart.hasSubscribers ||
    holdStart.hasSubscribers
  );
}

function resultOf(error: unknown): WaitResult {
  if (error instanceof LockTimeoutError) return error.timeoutMs === 0 ? 'busy' : 'timeout';
  if (error instanceof LockQueueFullError) return 'full';
  if (error instanceof LockAbortedError) return 'aborted';
  if (error instanceof ZooKeeperUnavailableError) return 'unavailable';
  return error instanceof ZkClosedError ? 'closed' : 'error';
}

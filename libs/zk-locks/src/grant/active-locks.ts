import { setTimeout as sleep } from 'node:timers/promises';
import {
  type LockLostError,
  LockQueueFullError,
  LockAbortedError,
  LockTimeoutError,
} from '../lock/lock-errors.js';
import {
  type InLine,
  Line,
  MAX_TIMER_MS,
  newSharedController,
  type Wait,
  ZkClosedError,
  ZooKeeperUnavailableError,
} from 'zk-client/recipes';
import type { MaxWaiting } from '../options/limits.js';
import type { FailFast } from '../queue/fail-fast.js';
import { newWait, type WaitContext, type WaitRequest } from '../queue/wait.js';
import type { CallKind, CallCounts, CallEvent, WaitResult } from '../telemetry/events.js';
import type { Grant, GrantListener } from './grant.js';
import { channels, publish } from '../telemetry/channels.js';

/** A grant that has not ended. An object without closures: there may be 10,000. */
class Held implements InLine<Held>, GrantListener {
  previous: Held | undefined;
  next: Held | undefined;

  constructor(
    readonly grant: Grant,
    readonly onLost: OnLost,
    private readonly activeLocks: ActiveLocks,
  ) {}

  onGrantEnd(): void {
    this.activeLocks.remove(this);
  }
}

export type OnLost = (loss: LockLostError) => void;

/** A call that asks for a lock or permits, with what events say about it. */
export interface WaitingCall extends WaitRequest {
  readonly kind: CallKind;
  readonly directory: string;
  readonly pattern?: string | undefined;
  readonly label?: string | undefined;
  readonly take?: number | undefined;
  /** Called for the loss of its grant. @default {@link ActiveLocksOptions.onLost} */
  readonly onLost?: OnLost | undefined;
  /** Returns the error for the caller. Never rejects. */
  readonly explain?: ((error: unknown) => Promise<unknown>) | undefined;
}

/** The properties that all events of one call share. */
type About = Omit<CallEvent, keyof CallCounts>;

export interface ActiveLocksOptions extends WaitContext {
  /** The connection's name in events. */
  readonly connection: string;
  /** Called for each lost lock whose call has no listener of its own. */
  readonly onLost: OnLost;
  /** Called for each call that the limits refuse. */
  readonly onFull: (refusal: LockQueueFullError) => void;
  /** The limits on the number of waiting calls. */
  readonly maxWaiting: MaxWaiting;
}

let latestId = 0;

/**
 * Everything that one process holds and waits for: this keeps its session in use, and is what
 * closing ends. It limits the number of waiting calls, and publishes the events of calls.
 */
export class ActiveLocks {
  readonly #closing = newSharedController();
  readonly #waits = new Line<Wait>();
  readonly #grants = new Line<Held>();
  /**
   * The number of calls that count towards the limits: in total, and by the directory of the key.
   */
  #waiting = 0;
  readonly #waitingIn = new Map<string, number>();
  #refused = 0;
  /** The limit for waits that begin from now on, whatever their callers ask for. */
  #longestWaitMs = Infinity;
  #onAllSettled: (() => void) | undefined;
  readonly #finish = <G extends Grant>(grant: G, { onLost }: WaitingCall): G | Promise<G> =>
    this.isClosing() ? refused(grant) : this.#add(grant, onLost);

  /** @param failFast refuses calls while there is no connection, if that is configured */
  constructor(
    private readonly options: ActiveLocksOptions,
    readonly failFast: FailFast | undefined,
  ) {}

  get counts(): { held: number; waiting: number } {
    return { held: this.#grants.length, waiting: this.#waits.length };
  }

  /** How many calls have failed because ZooKeeper could not be reached. */
  get refused(): number {
    return this.#refused;
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
   * Runs the wait of one call to its end, keeps track of its grant, and publishes its events.
   *
   * @throws whatever `take` throws
   * @throws {LockQueueFullError} {@link ZooKeeperUnavailableError} before the wait begins
   * @throws {ZkClosedError} also when closing began while the answer was on its way
   */
  take<G extends Grant>(call: WaitingCall, take: (wait: Wait) => Promise<G>): Promise<G> {
    // A process often joins its elections before its metrics subscribe, and then leads for days.
    if (isAnybodyListening() || call.kind === 'election')
      return this.#observe(call, this.#wait(call, take, this.#finish));
    return this.#wait(call, take, this.#finish, call.explain);
  }

  /** Like {@link take}, for a grant that the call has without a wait. */
  keep<G extends Grant>(call: WaitingCall, grant: G): Promise<G> {
    const taken = Promise.resolve(this.#add(grant, call.onLost));
    return isAnybodyListening() ? this.#observe(call, taken) : taken;
  }

  /** Called when a grant has ended. */
  remove(held: Held): void {
    this.#grants.leave(held);
    if (this.#grants.length === 0) this.#onAllSettled?.();
    const { grant, onLost } = held;
    // Comes last, because the listener may throw.
    if (!grant.isReleased && grant.loss) onLost(grant.loss);
  }

  /**
   * Runs a wait of a call that already holds the lock.
   *
   * @throws whatever `work` throws
   * @throws {ZooKeeperUnavailableError} {@link ZkClosedError} before the wait begins
   */
  during<T>(call: WaitingCall, work: (wait: Wait) => Promise<T>): Promise<T> {
    const working = this.#wait(call, work, (done) => done);
    return isAnybodyListening() ? this.#observeWait(call, working) : working;
  }

  /**
   * Runs a wait for another call of this process, for which there are no events.
   *
   * @throws as {@link take}
   */
  follow<T>(call: WaitingCall, work: (wait: Wait) => Promise<T>): Promise<T> {
    return this.#wait(call, work, (done) => done);
  }

  /** Ends the current waits immediately, and each later one after `longestMs`. */
  endWaits(longestMs: number): void {
    this.#longestWaitMs = longestMs;
    for (const wait of this.#waits.all()) wait.stop(new ZkClosedError());
  }

  /**
   * Ends the waits, gives holders `graceMs` to finish, and takes the remaining locks away from
   * them.
   */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort();
    this.endWaits(0);
    if (this.#grants.length > 0 && graceMs > 0) {
      await withinMs(graceMs, new Promise<void>((resolve) => (this.#onAllSettled = resolve)));
    }
    for (const { grant } of this.#grants.all()) grant.lose('service-closed');
  }

  /** Keeps track of a grant until it ends. */
  #add<G extends Grant>(grant: G, onLost = this.options.onLost): G {
    const held = new Held(grant, onLost, this);
    this.#grants.join(held);
    grant.listen(held);
    return grant;
  }

  #wait<G, T>(
    call: WaitingCall,
    work: (wait: Wait) => Promise<G>,
    finish: (done: G, call: WaitingCall) => T | Promise<T>,
    explain?: WaitingCall['explain'],
  ): Promise<T> {
    let wait: Wait;
    try {
      wait = this.#begin(call);
    } catch (error) {
      const refusal = error as Error;
      this.#note(refusal);
      return Promise.reject(refusal);
    }
    // The frame of an `await` needs twice the memory of these callbacks, and 10,000 calls may wait.
    return work(wait).then(
      (done) => {
        this.#end(call, wait);
        return finish(done, call);
      },
      async (error: unknown) => {
        this.#end(call, wait);
        this.#note(error);
        throw explain ? await explain(error) : error;
      },
    );
  }

  #begin(call: WaitingCall): Wait {
    // A process stays in its elections.
    const failFast = call.kind === 'election' ? undefined : this.failFast;
    if (this.isClosing()) throw new ZkClosedError();
    failFast?.check();
    if (isLimited(call)) this.#count(call);
    const wait = newWait(call, this.options);
    const limitMs = Math.min(this.#longestWaitMs, MAX_TIMER_MS);
    if (this.#longestWaitMs < Infinity) wait.endWithin(limitMs, newClosedError);
    this.#waits.join(wait);
    failFast?.join(wait);
    return wait;
  }

  #end(call: WaitingCall, wait: Wait): void {
    wait[Symbol.dispose]();
    this.failFast?.leave(wait);
    this.#waits.leave(wait);
    if (isLimited(call)) this.#countDown(call);
  }

  #note(error: unknown): void {
    if (error instanceof ZooKeeperUnavailableError) this.#refused++;
  }

  #refuse(...about: ConstructorParameters<typeof LockQueueFullError>): never {
    const refusal = new LockQueueFullError(...about);
    this.options.onFull(refusal);
    throw refusal;
  }

  /** @throws {LockQueueFullError} */
  #count({ key, mode, directory }: WaitingCall): void {
    const { perKey, total } = this.options.maxWaiting;
    const ofKey = this.#waitingIn.get(directory) ?? 0;
    if (ofKey >= perKey) this.#refuse(key, mode, 'maxWaiting.perKey', perKey);
    if (this.#waiting >= total) this.#refuse(key, mode, 'maxWaiting.total', total);
    this.#waitingIn.set(directory, ofKey + 1);
    this.#waiting++;
  }

  #countDown({ directory }: WaitingCall): void {
    const others = (this.#waitingIn.get(directory) ?? 0) - 1;
    if (others > 0) this.#waitingIn.set(directory, others);
    else this.#waitingIn.delete(directory);
    this.#waiting--;
  }

  async #observe<G extends Grant>(call: WaitingCall, taking: Promise<G>): Promise<G> {
    const about = this.#describe(call);
    const beganAt = performance.now();
    const grant = await this.#observeWait(call, taking, about);
    this.#observeHold(about, grant, performance.now() - beganAt);
    return grant;
  }

  async #observeWait<T>(
    call: WaitingCall,
    working: Promise<T>,
    about = this.#describe(call),
  ): Promise<T> {
    const { timeoutMs, explain } = call;
    const beganAt = performance.now();
    const waitedMs = (): number => performance.now() - beganAt;
    const end = (result: WaitResult, durationMs: number, error?: unknown): void =>
      publish('waitEnd', { ...about, timeoutMs, ...this.counts, result, durationMs, error });
    publish('waitStart', { ...about, timeoutMs, ...this.counts });
    try {
      const done = await working;
      end('granted', waitedMs());
      return done;
    } catch (error) {
      // Explaining the error takes time, which is not part of the wait.
      const durationMs = waitedMs();
      const explained = explain ? await explain(error) : error;
      end(waitResultOf(error), durationMs, explained);
      throw explained;
    }
  }

  #observeHold(about: About, grant: Grant, waitMs: number): void {
    const beganAt = performance.now();
    const fencingToken = about.mode === 'permit' ? undefined : grant.fencingToken;
    publish('holdStart', { ...about, ...this.counts, fencingToken, waitMs });
    const onGrantEnd = (): void => {
      const loss = grant.isReleased ? undefined : grant.loss;
      publish('holdEnd', {
        ...about,
        ...this.counts,
        fencingToken,
        waitMs,
        result: loss ? 'lost' : 'released',
        durationMs: performance.now() - beganAt,
        lossReason: loss?.reason,
        brokenBy: loss?.brokenBy,
      });
    };
    grant.listen({ onGrantEnd });
  }

  #describe({ kind, mode, key, pattern, label, take }: WaitingCall): About {
    const { connection } = this.options;
    return { connection, id: ++latestId, kind, mode, key, pattern, label, take };
  }
}

const newClosedError = (): Error => new ZkClosedError();

/** Releases a grant whose call may no longer have it. */
async function refused(grant: Grant): Promise<never> {
  await grant.release();
  throw new ZkClosedError();
}

/** Waits for `work`, but no longer than `ms`. */
export async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([
    work.finally(() => timeout.abort()),
    sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
}

/**
 * A single try does not wait, a process takes part in an election once, and an upgrade already
 * holds the lock.
 */
function isLimited({ timeoutMs, kind }: WaitingCall): boolean {
  return timeoutMs !== 0 && kind !== 'election' && kind !== 'upgrade';
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

/** The result of a wait that ended with this error. */
export function waitResultOf(error: unknown): WaitResult {
  if (error instanceof LockTimeoutError) return error.timeoutMs === 0 ? 'busy' : 'timeout';
  if (error instanceof LockQueueFullError) return 'full';
  // The service leaves its elections by their signals.
  const isAborted = error instanceof LockAbortedError;
  if (isAborted) return error.cause instanceof ZkClosedError ? 'closed' : 'aborted';
  if (error instanceof ZooKeeperUnavailableError) return 'unavailable';
  return error instanceof ZkClosedError ? 'closed' : 'error';
}

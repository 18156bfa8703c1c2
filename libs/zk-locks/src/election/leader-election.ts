import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnLost } from '../grant/active-locks.js';
import { checkFunction, runGuarded, enclosingLock, runWithLocks } from '../grant/async-scope.js';
import type { Contender, LockInspection } from '../inspection/inspection.js';
import {
  ElectionClosedError,
  LockAbortedError,
  LockLostError,
  NotLeaderError,
} from '../lock/lock-errors.js';
import {
  backoffDelay,
  checkCallbacks,
  Feed,
  Wait,
  ZkClosedError,
  type ZkLockLogger,
} from 'zk-client/recipes';
import type { InspectOptions, Lock } from '../lock/lock.js';
import { type Grant, type HeldLock, shareOf } from '../grant/grant.js';
import { readWhenLeaderOptions } from '../options/call-options.js';
import type { WhenLeaderOptions } from '../options/election-options.js';
import { HeldTerm, type LeaderTerm } from './leader-term.js';

/**
 * The pause before the attempt after a second setback in a row, in ms. Doubled for each further
 * one.
 */
const SETBACK_BASE_MS = 200;

/**
 * An election outlives the call that joins it, so it must not keep that call's async context. What is not
 * destroyed is an open handle to Jest's `--detectOpenHandles`.
 */
const outside = new AsyncResource('LeaderElection').emitDestroy();

/** The participants of an election in all processes, at one instant. */
export interface ElectionInspection {
  readonly key: string;
  /**
   * The holder of the key's write lock: the leader, unless a call outside of the election holds it.
   * Undefined while the lock is free, or while readers hold it.
   */
  readonly leader: Contender | undefined;
  /** The waiting participants, the next leader first. */
  readonly waiters: readonly Contender[];
  /** The number of participants, including those omitted because of `limit`. */
  readonly total: number;
}

export interface ElectionContext {
  /** The owner of the locks that guarded work joins. */
  readonly owner: object;
  readonly directory: string;
  /**
   * A term that is lost sooner than this counts as a setback. Also the longest pause between
   * attempts.
   */
  readonly sessionTimeoutMs: number;
  /** How long the node of a lost term stays, so that its work has time to stop. */
  readonly marginMs: number;
  readonly logger: ZkLockLogger;
  /** Waits for the key's write lock without a time limit. */
  readonly take: (signal: AbortSignal, onLost: OnLost) => Promise<Grant>;
  /** Reports a lock that was lost outside of a term. */
  readonly onLost: OnLost;
  readonly inspect: (options?: InspectOptions) => Promise<LockInspection>;
  readonly onClosed: (election: LeaderElection) => void;
  /** Whether the service leaves all its elections. */
  readonly isServiceClosing: () => boolean;
  readonly isConnected: () => boolean;
}

/**
 * An election of one leader among all participating processes. The leader holds the key's write
 * lock.
 *
 *     waiting ◄──► leading        any ──► closed
 *
 * `waiting` becomes `leading` when all earlier participants have left. `leading` becomes `waiting`
 * when the lock is lost or the term is given up. The process then queues behind the others; after a
 * loss, it first waits for `marginMs`. Without a connection, it waits without limit. Other failures
 * are logged, and the process tries again.
 */
export class LeaderElection implements AsyncDisposable {
  readonly #context: ElectionContext;
  readonly #closing = new AbortController();
  readonly #terms = new Feed<HeldTerm | undefined>(undefined);
  readonly #running: Promise<void>;
  #term: HeldTerm | undefined;
  #lastProblem: string | undefined;
  #closed: Promise<void> | undefined;

  /** Use {@link Locks.election} to create one. */
  constructor(
    readonly key: string,
    context: ElectionContext,
  ) {
    this.#context = context;
    this.#running = outside.runInAsyncScope(() => this.#run());
  }

  /** Whether this process leads right now: computed from the clock, never cached. */
  get isLeader(): boolean {
    return this.#term?.isHeld ?? false;
  }

  /** This process's current term; undefined while it waits and after `close()`. */
  get term(): LeaderTerm | undefined {
    return this.#term;
  }

  /**
   * Calls `onTerm` immediately with this process's current term, and on every change until `close()`,
   * all in the async context of this call.
   *
   * @param onClosed called after the last term
   * @returns a function that stops the calls
   */
  onTerm(onTerm: (term: LeaderTerm | undefined) => void, onClosed?: () => void): () => void {
    checkCallbacks({ onTerm, onClosed });
    return this.#terms.subscribe(onTerm, onClosed);
  }

  /**
   * Waits until this process leads, without limit.
   *
   * @throws {LockAbortedError} when `signal` aborts first
   * @throws {ElectionClosedError} {@link ZkClosedError} when the election is already closed or
   * closes during the wait
   * @throws {ZkLockConfigError}
   */
  async whenLeader(options: WhenLeaderOptions = {}): Promise<LeaderTerm> {
    const { signal } = readWhenLeaderOptions(options);
    const onAbort = (reason: unknown): Error => new LockAbortedError(this.key, 'write', reason);
    // Without a time limit, `onTimeout` is never called.
    using wait = new Wait({ timeoutMs: Infinity, signal, onTimeout: onAbort, onAbort });
    let unsubscribe = (): void => undefined;
    const leading = new Promise<HeldTerm>((resolve) => {
      const onTerm = async (term: HeldTerm | undefined): Promise<void> => {
        while (term && term === this.#term && !wait.isOver) {
          await term.whenCertain();
          if (!term.isHeld) continue;
          resolve(term);
          return;
        }
      };
      unsubscribe = this.#terms.subscribe(
        (term) => void onTerm(term),
        () => wait.stop(this.#newClosedError()),
      );
    });
    try {
      return await wait.for(leading);
    } finally {
      unsubscribe();
    }
  }

  /**
   * Runs `fn` if this process leads; it does not wait to become the leader. Inside a section that
   * holds the key's write lock, it joins that lock. The lock is kept until `fn` has settled, even
   * after `resign()`. Inside `fn`, nested calls for the same key join the lock, and `currentLock()`
   * returns it. `fn` must not wait for this process's next term.
   *
   * @throws {NotLeaderError} when this process does not lead at the moment; `fn` did not run
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when the lock was lost
   * @throws {ElectionClosedError} {@link ZkClosedError} when the election is closed
   * @throws whatever `fn` throws
   */
  async asLeader<T>(fn: (lock: Lock) => T | PromiseLike<T>): Promise<T> {
    checkFunction(fn);
    const { owner, directory } = this.#context;
    const lock = this.#share();
    const scope = { owner, directory, lock, shown: lock };
    return runGuarded(lock, () => runWithLocks([scope], () => fn(lock)));
  }

  /**
   * Lists the leader and the waiting participants of all processes.
   *
   * @throws {ZooKeeperUnavailableError} if no answer arrives within `connectTimeoutMs`
   * @throws {LockDirectoryError} {@link LockAccessError} {@link ZkClosedError}
   * @throws {ZkLockConfigError}
   */
  async inspect(options: InspectOptions = {}): Promise<ElectionInspection> {
    const { key, holders, waiters, total } = await this.#context.inspect(options);
    return { key, leader: holders.find(({ mode }) => mode === 'write'), waiters, total };
  }

  /**
   * Ends the current term and queues again behind the others. Does nothing while this process
   * waits.
   *
   * The term's signal aborts immediately. Work inside `asLeader()` or `@OnlyLeader()` keeps the
   * lock until it ends; only then can another process lead. The work itself may call this method.
   * Never rejects.
   */
  async resign(): Promise<void> {
    await this.#term?.giveUp();
  }

  /**
   * Leaves the election: ends the current term as {@link resign} does, or leaves the queue.
   * Idempotent. To take part again, call `election()` again.
   */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const { onClosed, isServiceClosing } = this.#context;
    onClosed(this);
    const { key } = this;
    this.#closing.abort(isServiceClosing() ? new ZkClosedError() : new ElectionClosedError(key));
    const givenUp = this.#term?.giveUp();
    this.#terms.end();
    await givenUp;
    await this.#running;
  }

  #newClosedError(): Error {
    const isByService = this.#closing.signal.reason instanceof ZkClosedError;
    return isByService ? new ZkClosedError() : new ElectionClosedError(this.key);
  }

  #share(): HeldLock {
    const { owner, directory } = this.#context;
    const enclosing = enclosingLock(owner, directory);
    // Work that continues after its term was given up still holds the lock.
    if (enclosing?.lock.isHeld && enclosing.lock.grant.mode === 'write') {
      return shareOf(enclosing, { key: this.key, mode: 'write' });
    }
    if (this.#closing.signal.aborted) throw this.#newClosedError();
    if (!this.#term?.isHeld) {
      throw new NotLeaderError(this.key, this.#context.isConnected());
    }
    return this.#term.share();
  }

  /** Queues up to lead, again and again until closed. Never rejects. */
  async #run(): Promise<void> {
    let setbacks = 0;
    while (!this.#closing.signal.aborted) {
      const isSetback = await this.#queueUpAndLead();
      setbacks = isSetback ? setbacks + 1 : 0;
      // The first setback is retried immediately; repeated ones after a pause.
      if (setbacks > 1) await this.#pause(setbacks - 2);
    }
  }

  async #pause(setbacks: number): Promise<void> {
    const capMs = this.#context.sessionTimeoutMs;
    const delay = backoffDelay(setbacks, { baseMs: SETBACK_BASE_MS, capMs });
    const { signal } = this.#closing;
    await sleep(delay, undefined, { signal }).catch(() => undefined);
  }

  /** @returns true for a setback: the attempt won no term, or one that was lost soon */
  async #queueUpAndLead(): Promise<boolean> {
    const { take, onLost } = this.#context;
    let grant: Grant;
    let term: HeldTerm | undefined = undefined;
    const onLockLost: OnLost = (loss) => {
      // The log reports the end of the term itself. Other losses, of work that outlasts a resigned
      // term, are passed on.
      const isTerm = term !== undefined && term === this.#term;
      if (!isTerm) onLost(loss);
    };
    try {
      grant = await take(this.#closing.signal, onLockLost);
    } catch (error) {
      this.#onProblem(error);
      return true;
    }
    this.#lastProblem = undefined;
    term = new HeldTerm(this.key, grant);
    const since = performance.now();
    if (this.#closing.signal.aborted) await term.giveUp();
    else await this.#lead(term);
    const hasLasted = performance.now() - since > this.#context.sessionTimeoutMs;
    return term.signal.reason instanceof LockLostError && !hasLasted;
  }

  async #lead(term: HeldTerm): Promise<void> {
    if (!term.signal.aborted) {
      await new Promise<void>((resolve) => {
        // This listener must run first: all others then find the election without a term.
        const onOver = (): void => {
          this.#onOver(term);
          resolve();
        };
        term.signal.addEventListener('abort', onOver, { once: true });
        this.#onElected(term);
      });
    }
    // The node of a lost term may still exist.
    const { marginMs } = this.#context;
    if (marginMs > 0 && term.signal.reason instanceof LockLostError) {
      // The session keeps the process running, unless that is closed meanwhile.
      await sleep(marginMs, undefined, { ref: false });
    }
    void term.giveUp();
  }

  #onElected(term: HeldTerm): void {
    this.#term = term;
    this.#context.logger.log(
      `Now leading "${this.key}" with fencing token ${String(term.fencingToken)}.`,
    );
    this.#terms.tell(term);
  }

  #onOver({ signal }: HeldTerm): void {
    this.#term = undefined;
    const { logger } = this.#context;
    const reason: unknown = signal.reason;
    if (reason instanceof LockLostError) {
      logger.warn(`No longer leading "${this.key}": ${reason.message}`);
    } else {
      logger.log(`No longer leading "${this.key}": the term was given up.`);
    }
    this.#terms.tell(undefined);
  }

  #onProblem(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const problem = String(error);
    const message = `Cannot queue up to lead "${this.key}"; trying again: ${problem}`;
    const { logger } = this.#context;
    if (problem === this.#lastProblem) logger.debug(message);
    else logger.error(message);
    this.#lastProblem = problem;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type LockLostError,
  LockServiceClosedError,
  type GuardKind,
  LockQueueFullError,
} from '../lock-errors.js';
import { newSharedController, type InLine, Line } from '../listeners.js';
import { MAX_TIMER_MS } from '../options/limits.js';
import type { Wait } from '../queue/wait.js';
import type { Grant } from './grant.js';
import type { CallKind } from '../telemetry/events.js';

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
   * @throws {LockQueueFullError} before the wait begins
   * @throws {LockServiceClosedError} also when closing began while the answer was on its way
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
      this.#calls.enter(call);
      wait = this.#begin(newWait);
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
   * @throws {LockServiceClosedError}
   */
  async during<T>(newWait: () => Wait, work: (wait: Wait) => Promise<T>): Promise<T> {
    this.#refuseIfClosing();
    const wait = this.#begin(newWait);
    try {
      return await work(wait);
    } finally {
      this.#end(wait);
    }
  }

  /** Ends the waits in progress now, and those still to come after `longestMs`. */
  endWaits(longestMs: number): void {
    this.#longestWaitMs = longestMs;
    for (const wait of this.#waits.all()) wait.stop(new LockServiceClosedError());
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
    if (this.isClosing()) throw new LockServiceClosedError();
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

const newClosedError = (): Error => new LockServiceClosedError();

/** What was granted to a call that may not have it any more. */
async function refused(grant: Grant): Promise<never> {
  await grant.release();
  throw new LockServiceClosedError();
}

/** Waits for `work`, but not longer. */
export async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([
    work.finally(() => timeout.abort()),
    sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
}

/** How many calls of this process may wait. `Infinity` for no limit. */
export interface MaxWaitingOptions {
  /**
   * For one key.
   * @default 1000
   */
  perKey?: number | undefined;
  /**
   * For all keys of this connection.
   * @default 10000
   */
  total?: number | undefined;
}

export interface MaxWaiting {
  readonly perKey: number;
  readonly total: number;
}

export const DEFAULT_MAX_WAITING: MaxWaiting = { perKey: 1_000, total: 10_000 };

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

import { setTimeout as sleep } from 'node:timers/promises';
import { type LockLostError, LockServiceClosedError } from '../lock-errors.js';
import { newSharedController } from '../queue/shared-controller.js';
import { MAX_TIMER_MS } from '../options/limits.js';
import { type InLine, Line } from '../session/line.js';
import type { Wait } from '../queue/wait.js';
import type { Grant } from './grant.js';
import {
  DEFAULT_MAX_WAITING,
  type MaxWaiting,
  type WaitingCall,
  WaitingCalls,
} from './waiting-calls.js';

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
  async take<G extends Grant>(
    call: WaitingCall,
    newWait: () => Wait,
    take: (wait: Wait) => Promise<G>,
    onLost = this.onLost,
  ): Promise<G> {
    this.#calls.enter(call);
    let wait: Wait | undefined;
    let grant: G;
    try {
      wait = this.#begin(newWait);
      grant = await take(wait);
    } finally {
      if (wait) this.#end(wait);
      this.#calls.leave(call);
    }
    if (this.isClosing()) {
      await grant.release();
      throw new LockServiceClosedError();
    }
    this.#add(grant, onLost);
    return grant;
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

  /** @throws {LockServiceClosedError} */
  #begin(newWait: () => Wait): Wait {
    if (this.isClosing()) throw new LockServiceClosedError();
    const wait = newWait();
    if (this.#longestWaitMs < MAX_TIMER_MS) wait.endWithin(this.#longestWaitMs, newClosedError);
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

/** Waits for `work`, but not longer. */
export async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([
    work.finally(() => timeout.abort()),
    sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
}

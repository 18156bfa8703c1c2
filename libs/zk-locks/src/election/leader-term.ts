import { membersInJson, newSharedController, printAsJson } from 'zk-client/recipes';
import { LockLostError, LockReleasedError } from '../lock/lock-errors.js';
import { HeldLock, type Grant } from '../grant/grant.js';

/**
 * The time during which this process leads: from its election until the lock is lost or `resign()`
 * is called. It has the guarantees of a {@link Lock}.
 */
export interface LeaderTerm {
  /** The election's key. */
  readonly key: string;
  /** Rises with every term of the same key across the whole cluster. */
  readonly fencingToken: bigint;
  /**
   * Aborts when the term ends: with a {@link LockLostError} before another process can lead, or
   * with a {@link LockReleasedError} after `resign()` and `close()`.
   */
  readonly signal: AbortSignal;
  /**
   * Aborts with a {@link LockRevokedError} when another process asks for the lock. This process
   * still leads: call `resign()` soon, or carry on.
   */
  readonly revoked: AbortSignal;
  /** Whether this process leads right now: computed from the clock, never cached. */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when the term was lost, even right after a pause of the process
   * @throws {LockReleasedError} when the term was given up
   */
  assertHeld(): void;
}

/** A term of this process: the election's own share of the grant. */
export class HeldTerm implements LeaderTerm {
  readonly #over = newSharedController();
  readonly #lock: HeldLock;

  constructor(
    readonly key: string,
    private readonly grant: Grant,
  ) {
    this.#lock = new HeldLock(key, 'write', grant);
    const { signal } = grant;
    const onLost = (): void => this.#over.abort(signal.reason);
    if (signal.aborted) onLost();
    else signal.addEventListener('abort', onLost, { once: true });
  }

  get fencingToken(): bigint {
    return this.#lock.fencingToken;
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get revoked(): AbortSignal {
    return this.#lock.revoked;
  }

  get isHeld(): boolean {
    return !this.#over.signal.aborted && this.#lock.isHeld;
  }

  assertHeld(): void {
    const { aborted, reason } = this.#over.signal as { aborted: boolean; reason: unknown };
    if (!aborted) this.#lock.assertHeld();
    else if (!(reason instanceof LockLostError)) throw this.#endedError();
    else throw new LockLostError(this.key, 'write', reason.reason, { cause: reason });
  }

  toJSON(): object {
    return membersInJson(this, 'key', 'fencingToken', 'isHeld');
  }

  /** Returns a share for guarded work, which keeps the lock until the work ends. */
  share(): HeldLock {
    return new HeldLock(this.key, 'write', this.grant);
  }

  /**
   * Resolves when the clock can tell whether the lock is held: immediately, except after the
   * machine was paused.
   */
  whenCertain(): Promise<void> {
    return this.#lock.whenCertain();
  }

  /**
   * Announces the end of the term and gives up the election's share. Idempotent, and never rejects.
   */
  giveUp(): Promise<void> {
    this.#over.abort(this.#endedError());
    return this.#lock.release();
  }

  #endedError(): LockReleasedError {
    const text = `The term as the leader of "${this.key}" has ended, by resign(), close() or a shutdown. Stop its work.`;
    return new LockReleasedError(this.key, 'write', text);
  }
}

printAsJson(HeldTerm);

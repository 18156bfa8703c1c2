import type { Holding } from './holding.js';
import { LockLostError, LockReleasedError } from '../lock-errors.js';
import type { Lock, LockMode } from '../lock.js';

/** One caller's share of a {@link Holding}. */
export class HeldLock implements Lock {
  #released: Promise<void> | undefined;

  constructor(
    readonly key: string,
    readonly mode: LockMode,
    readonly holding: Holding,
  ) {
    holding.share();
  }

  get fencingToken(): bigint {
    return this.holding.fencingToken;
  }

  get signal(): AbortSignal {
    return this.holding.signal;
  }

  get isHeld(): boolean {
    return !this.#released && this.holding.loss === undefined;
  }

  assertHeld(): void {
    if (this.#released) throw new LockReleasedError(this.key, this.mode);
    this.throwIfLost();
  }

  /** Like `assertHeld`, but content with a lock that its own user has released. */
  throwIfLost(): void {
    if (this.#released) return;
    const { loss } = this.holding;
    if (loss) throw new LockLostError(this.key, this.mode, loss.reason, { cause: loss });
  }

  release(): Promise<void> {
    this.#released ??= this.holding.unshare();
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

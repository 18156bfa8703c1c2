import { answerTo } from '../holding/answer-to.js';
import { LockLostError, LockReleasedError } from '../lock-errors.js';
import type { Lock, LockMode, ReleaseMode } from '../lock.js';
import type { SharedHolding } from './shared-holding.js';

/** One caller's share of a {@link ReadWriteHolding}. */
export class HeldLock implements Lock {
  #released: Promise<void> | undefined;

  constructor(
    readonly key: string,
    readonly mode: LockMode,
    readonly holding: SharedHolding,
    protected readonly releaseMode: ReleaseMode = 'wait',
  ) {
    holding.share(mode);
  }

  get fencingToken(): bigint {
    return this.holding.fencingToken;
  }

  get signal(): AbortSignal {
    return this.holding.signal;
  }

  get revoked(): AbortSignal {
    return this.holding.revoked;
  }

  get isHeld(): boolean {
    return !this.#released && this.holding.loss === undefined;
  }

  get isReleased(): boolean {
    return this.#released !== undefined;
  }

  assertHeld(): void {
    if (this.#released) throw new LockReleasedError(this.key, this.mode);
    this.throwIfLost();
  }

  /** Resolves once it is certain whether it is held: at once, except after a jump of the clock. */
  async whenCertain(): Promise<void> {
    if (!this.#released) await this.holding.whenCertain();
  }

  /** Like `assertHeld`, but content with a lock that its own user has released. */
  throwIfLost(): void {
    if (this.#released) return;
    const { loss } = this.holding;
    if (loss) throw new LockLostError(this.key, this.mode, loss.reason, { cause: loss });
  }

  release(): Promise<void> {
    this.#released ??= answerTo(this.holding.unshare(this.mode), this.releaseMode);
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

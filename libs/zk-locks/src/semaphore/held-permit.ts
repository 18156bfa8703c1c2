import { answerTo } from '../holding/answer-to.js';
import type { Holding } from '../holding/holding.js';
import { LockLostError, LockReleasedError } from '../lock-errors.js';
import type { ReleaseMode } from '../lock.js';
import type { Permit } from './semaphore.js';

/** Permits of this process, each of which is a znode of the holding. */
export class HeldPermit implements Permit {
  #released: Promise<void> | undefined;

  constructor(
    readonly permits: number,
    private readonly holding: Holding,
    private readonly releaseMode: ReleaseMode,
  ) {}

  get key(): string {
    return this.holding.key;
  }

  get signal(): AbortSignal {
    return this.holding.signal;
  }

  get isHeld(): boolean {
    return !this.#released && this.holding.loss === undefined;
  }

  get isReleased(): boolean {
    return this.#released !== undefined;
  }

  assertHeld(): void {
    if (this.#released) throw new LockReleasedError(this.key, 'permit');
    this.throwIfLost();
  }

  /** Resolves once it is certain whether they are held: at once, except after a jump of the clock. */
  async whenCertain(): Promise<void> {
    if (!this.#released) await this.holding.whenCertain();
  }

  /** Like `assertHeld`, but content with permits that their own user has released. */
  throwIfLost(): void {
    if (this.#released) return;
    const { loss } = this.holding;
    if (loss) throw new LockLostError(this.key, 'permit', loss.reason, { cause: loss });
  }

  release(): Promise<void> {
    this.#released ??= answerTo(this.holding.release(), this.releaseMode);
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

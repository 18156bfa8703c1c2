import { type GuardKind, LockLostError, LockReleasedError } from '../lock-errors.js';
import type { Lock, LockMode, ReleaseMode } from '../lock.js';
import type { Grant } from './grant.js';

/** One caller's share of a {@link Grant}. */
export class Handle<Kind extends GuardKind> implements AsyncDisposable {
  #released: Promise<void> | undefined;

  constructor(
    readonly key: string,
    readonly mode: Kind,
    readonly grant: Grant,
    protected readonly releaseMode: ReleaseMode = 'wait',
  ) {
    grant.share(mode);
  }

  get signal(): AbortSignal {
    return this.grant.signal;
  }

  get isHeld(): boolean {
    return !this.#released && this.grant.loss === undefined;
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
    if (!this.#released) await this.grant.whenCertain();
  }

  /** Like `assertHeld`, but content with one that its own user has released. */
  throwIfLost(): void {
    if (this.#released) return;
    const { loss } = this.grant;
    if (loss) throw new LockLostError(this.key, this.mode, loss.reason, { cause: loss });
  }

  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  #release(): Promise<void> {
    // Never rejects, and goes on by itself.
    const releasing = this.grant.unshare(this.mode);
    return this.releaseMode === 'wait' ? releasing : Promise.resolve();
  }
}

export class HeldLock extends Handle<LockMode> implements Lock {
  get fencingToken(): bigint {
    return this.grant.fencingToken;
  }

  get revoked(): AbortSignal {
    return this.grant.revoked;
  }
}

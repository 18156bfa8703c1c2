import type { Lock, LockMode } from '../../locks/lock.js';

/** A lock as work sees it that has only so much time: its signal aborts when that is over, too. */
export class TimedLock implements Lock {
  constructor(
    private readonly lock: Lock,
    readonly signal: AbortSignal,
  ) {}

  get key(): string {
    return this.lock.key;
  }

  get mode(): LockMode {
    return this.lock.mode;
  }

  get fencingToken(): bigint {
    return this.lock.fencingToken;
  }

  get revoked(): AbortSignal {
    return this.lock.revoked;
  }

  get isHeld(): boolean {
    return this.lock.isHeld;
  }

  assertHeld(): void {
    this.lock.assertHeld();
  }

  release(): Promise<void> {
    return this.lock.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

import type { Lock, Locks } from 'zk-locks';

/**
 * Another holder of a lock, with a session of its own, like another replica.
 *
 * @publicApi
 */
export interface Rival extends AsyncDisposable {
  /** The lock that the rival holds. */
  readonly lock: Lock;
  /** Releases the lock and ends the rival's session. Idempotent. */
  leave(): Promise<void>;
}

/** A {@link Rival} with its session. */
export class SessionRival implements Rival {
  constructor(
    readonly lock: Lock,
    private readonly locks: Locks,
    private readonly onLeft: () => void,
  ) {}

  async leave(): Promise<void> {
    await this.lock.release();
    await this.locks.close();
    this.onLeft();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }
}

import type { Lock, Locks } from 'zk-locks';

/**
 * Another holder of a lock, as another replica would be, with a session of its own.
 *
 * @publicApi
 */
export interface Rival extends AsyncDisposable {
  /** The lock in the rival's hand. */
  readonly lock: Lock;
  /** Gives the lock back and ends the rival's session. Can be called again. */
  leave(): Promise<void>;
}

/** A {@link Rival} with the session that it came with. */
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

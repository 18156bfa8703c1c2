import type { Lock } from 'zk-locks';

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

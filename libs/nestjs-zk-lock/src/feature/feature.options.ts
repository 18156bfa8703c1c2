import type { SemaphoreOptions } from 'zk-locks';
import { later, optionsOf, readChecked } from 'zk-locks/framework';
import { AgreedPermits } from '../agreed-permits.js';
import { getElectionToken, getSemaphoreToken } from './feature-tokens.js';

/**
 * A semaphore that `ZkLockModule.forFeature()` provides.
 *
 * @publicApi
 */
export interface FeatureSemaphore extends SemaphoreOptions {
  /** The key, as for `LockService.semaphore()`. */
  key: string;
}

/**
 * Options of `ZkLockModule.forFeature()`.
 *
 * @publicApi
 */
export interface ZkLockFeatureOptions {
  /**
   * Semaphores to inject with `@InjectSemaphore(key)`. The whole application uses these `permits`:
   * `@WithPermit(key)` takes them from here, and any other number for the key is refused.
   * @default none
   */
  semaphores?: readonly FeatureSemaphore[] | undefined;
  /**
   * The keys of elections to inject with `@InjectElection(key)`. The application takes part in them
   * from start-up on.
   * @default none
   */
  elections?: readonly string[] | undefined;
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper stores them.
   * @default the connection without a name
   */
  connection?: string | undefined;
}

const FEATURE = optionsOf('semaphores', 'elections', 'connection');
const SEMAPHORE = { key: later, ...optionsOf('permits', 'pattern') };

/** @throws {ZkLockConfigError} {@link LockKeyError} */
export function readFeatureOptions(
  given: ZkLockFeatureOptions,
): Required<Omit<ZkLockFeatureOptions, 'connection'>> & { connection: string | undefined } {
  const { semaphores = [], elections = [], connection } = readChecked(given, FEATURE);
  const agreed = new AgreedPermits();
  return {
    connection,
    // Not map(), which skips holes of an array.
    semaphores: Array.from(semaphores, (semaphore) => {
      const { key, permits, pattern } = readChecked(semaphore, SEMAPHORE);
      getSemaphoreToken(key, connection);
      agreed.agree(key, permits);
      return { key, permits, pattern };
    }),
    elections: Array.from(elections, (key) => {
      getElectionToken(key, connection);
      return key;
    }),
  };
}

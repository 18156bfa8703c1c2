import type { SemaphoreOptions } from 'zk-locks';
import { later, optionsOf, readChecked } from 'zk-locks/internal';
import { AgreedPermits } from '../agreed-permits.js';
import { getElectionToken, getSemaphoreToken } from './feature-tokens.js';

/**
 * A semaphore that `ZkLockModule.forFeature()` provides.
 *
 * @publicApi
 */
export interface FeatureSemaphore extends SemaphoreOptions {
  /** As for `LockService.semaphore()`. */
  key: string;
}

/**
 * What `ZkLockModule.forFeature()` takes.
 *
 * @publicApi
 */
export interface ZkLockFeatureOptions {
  /**
   * Semaphores to inject with `@InjectSemaphore(key)`. The whole application agrees on their
   * `permits`: `@WithPermit(key)` takes them from here, and any other number for the key is refused.
   * @default none
   */
  semaphores?: readonly FeatureSemaphore[];
  /**
   * The keys of elections to inject with `@InjectElection(key)`. The application takes part in them
   * from its start on.
   * @default none
   */
  elections?: readonly string[];
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper keeps them.
   * @default the connection without a name
   */
  connection?: string;
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
    // Not by map(), which passes over holes.
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

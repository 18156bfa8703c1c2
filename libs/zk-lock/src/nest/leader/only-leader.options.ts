import { checkConnectionOption } from '../guarded/guarded.options.js';

/**
 * What `@OnlyLeader()` takes besides the key.
 *
 * @publicApi
 */
export interface OnlyLeaderOptions {
  /**
   * What a call does where this process does not lead: `throw` rejects with a `NotLeaderError`,
   * `skip` resolves to `undefined` without running the method, which must return `Promise<void>`.
   * @default 'throw'
   */
  onFollower?: 'throw' | 'skip';
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper keeps the election.
   * @default the connection without a name
   */
  connection?: string;
}

export const ONLY_LEADER_CHECKS: Record<
  keyof OnlyLeaderOptions,
  (value: unknown) => string | undefined
> = {
  onFollower: (value) =>
    value === 'throw' || value === 'skip' ? undefined : "is neither 'throw' nor 'skip'",
  connection: checkConnectionOption,
};

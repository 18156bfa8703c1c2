import type { DecoratorOptionKinds } from '../guarded/guarded.options.js';
import type { OnBusy } from '../guarded/on-busy.js';

/**
 * What `@OnlyLeader()` takes besides the key.
 *
 * @publicApi
 */
export interface OnlyLeaderOptions<Follower extends OnBusy = OnBusy> {
  /**
   * What a call comes to where this process does not lead: `throw` rejects with a `NotLeaderError`.
   * `skip` resolves to `undefined` without running the method, so that its type must allow that. A
   * function of the method's arguments answers in its place, by what it returns or its promise
   * resolves to, and may throw.
   * @default 'throw'
   */
  onFollower?: Follower;
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper keeps the election.
   * @default the connection without a name
   */
  connection?: string;
}

export const ONLY_LEADER_OPTIONS: DecoratorOptionKinds<OnlyLeaderOptions> = {
  onFollower: 'value',
  connection: 'value',
};

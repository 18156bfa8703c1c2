import type { MethodDescriptor } from '../guarded/decorated-method.js';
import type { TakesArgumentsOf } from '../guarded/lockable-method.js';
import { injectModuleRef } from '../guarded/module-ref-injection.js';
import type { AnswersFor, BusyArgs, OnBusy } from '../guarded/on-busy.js';
import { wrapMethod } from '../guarded/wrap-method.js';
import { ONLY_LEADER_METADATA } from '../zk-lock.constants.js';
import { leaderCall } from './leader-call.js';
import { defineOnlyLeader } from './only-leader-definition.js';
import type { OnlyLeaderOptions } from './only-leader.options.js';

/**
 * What `@OnlyLeader()` returns. It accepts methods that return a promise, and whose arguments and
 * result fit what `onFollower` says. The compiler cannot check that through `applyDecorators()`, for
 * the sake of which the descriptor is optional.
 *
 * @publicApi
 */
export type OnlyLeaderDecorator<Follower extends OnBusy = 'throw'> = <
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any parameters, whatever their types
  Method extends (...args: any[]) => Promise<unknown>,
>(
  target: object,
  propertyKey: string | symbol,
  descriptor?: TypedPropertyDescriptor<Method> &
    TakesArgumentsOf<Method, BusyArgs<Follower>> &
    AnswersFor<Method, Follower>,
) => void;

/**
 * Runs the method only where this process leads at that moment, among all replicas.
 *
 * Works on the methods of providers and on handlers, in either order with their decorators, as
 * `@Locked()` does. The application takes part in the election from its bootstrap on, also where
 * the class is request-scoped or nobody calls the method; a call before that joins. It never waits
 * to become the leader.
 *
 * Inside the method, `currentLock()` is the leader's lock, whose release does not end the term, and
 * a nested call with the same key joins it. A leader that resigns or shuts down while the method
 * runs hands over when it has ended, or at the latest after `shutdownGraceMs`.
 *
 * @example
 * ```ts
 * @Cron('0 * * * *')
 * @OnlyLeader('reports', { onFollower: 'skip' })
 * async sendReports(): Promise<void> {}
 * ```
 *
 * @param key a fixed text, without holes for arguments; the same text as in
 * `LockService.election(key)` is the same election
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written
 *
 * The decorated method rejects, besides its own errors, with
 * - `NotLeaderError` where another process leads, or nobody does, unless `onFollower` says otherwise,
 * - `LockLostError` after the method has settled, when the leadership was lost while it ran,
 * - `LockServiceClosedError` when the application shuts down, unless `onFollower` says otherwise,
 * - `LockedSetupError` when Nest did not build the object, or `ZkLockModule` is not imported,
 * - `LockedDecoratorError` when it returned what would work whoever leads: an Observable, a generator
 *   or an async iterator.
 *
 * @publicApi
 */
export function OnlyLeader<Follower extends OnBusy = 'throw'>(
  key: string,
  options: OnlyLeaderOptions<Follower> = {},
): OnlyLeaderDecorator<Follower> {
  return (target, propertyKey, descriptor) => {
    const definition = defineOnlyLeader(target, propertyKey, descriptor, key, options);
    wrapMethod(
      descriptor as unknown as MethodDescriptor,
      ONLY_LEADER_METADATA,
      definition,
      (call) => leaderCall(definition, call),
    );
    injectModuleRef(target);
  };
}

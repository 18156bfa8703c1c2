import { isObservable } from 'rxjs';
import { type LeaderElection, ZkClosedError, NotLeaderError } from 'zk-locks';
import {
  CONNECTION_HINTS,
  directoryOf,
  MAX_LABEL_LENGTH,
  optionsOf,
  readChecked,
} from 'zk-locks/framework';
import { internalsOf, type LockService } from '../lock.service.js';
import { handlerScopeOf, replacePlaceholder, runOutsideHandlerScope } from './current.js';
import {
  type DecoratedMethod,
  type Definition,
  refuseWithoutParentheses,
} from './decorated-method.js';
import { ONLY_LEADER } from './decorator-errors.js';
import {
  answerInstead,
  type AnswersFor,
  type BusyArgs,
  type OnBusy,
  refusal,
  refuseIfThrows,
  type TakesArgumentsOf,
} from './definition.js';
import { findLockService, moduleRefOf } from './find-lock-service.js';
import { decorate, isLazyResult, type MethodCall, refuseLazyResult } from './guarded-call.js';

/**
 * The type of `@OnlyLeader()`. It accepts methods that return a promise, and whose arguments and
 * result match `onFollower`. The compiler cannot check that through `applyDecorators()`, which is
 * why the descriptor is optional.
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
 * Runs the method only if this process leads, among all replicas, at that moment.
 *
 * Works on the methods of providers and on handlers, in either order with their decorators, as
 * `@Locked()` does. The application takes part in the election from bootstrap on, even if the class
 * is request-scoped or the method is never called; an earlier call joins immediately. If the
 * application has left the election with `close()`, the next call joins it again. A call never waits
 * to become the leader.
 *
 * Inside the method, `currentLock()` returns the leader's lock, whose release does not end the
 * term, and a nested call with the same key joins it. A leader that resigns or shuts down while the
 * method runs hands over when the method has ended; at a shutdown, after `shutdownGraceMs` at the
 * latest.
 *
 * @example
 * ```ts
 * @Cron('0 * * * *')
 * @OnlyLeader('reports', { onFollower: 'skip' })
 * async sendReports(): Promise<void> {}
 * ```
 *
 * @param key a fixed string without placeholders; the same string in `LockService.election(key)`
 * denotes the same election
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written
 *
 * Besides its own errors, the decorated method rejects with
 * - `NotLeaderError` when another process leads, or no process leads, unless `onFollower` says
 *   otherwise,
 * - `LockLostError` after the method has settled, when the leadership was lost while it ran,
 * - `ZkClosedError` when the application shuts down, unless `onFollower` says otherwise,
 * - `LockedSetupError` when Nest did not create the object, or `ZkLockModule` is not imported,
 * - `LockedDecoratorError` when it returned something that outlasts the leadership: an Observable,
 *   a generator or an async iterator.
 *
 * @publicApi
 */
export function OnlyLeader<Follower extends OnBusy = 'throw'>(
  key: string,
  options: OnlyLeaderOptions<Follower> = {},
): OnlyLeaderDecorator<Follower> {
  refuseWithoutParentheses(ONLY_LEADER, key, options);
  return decorate(ONLY_LEADER, (method) => defineOnlyLeader(method, key, options), leaderCall);
}

/**
 * Options of `@OnlyLeader()`.
 *
 * @publicApi
 */
export interface OnlyLeaderOptions<Follower extends OnBusy = OnBusy> {
  /**
   * What happens to a call in a process that does not lead. `throw` rejects with a
   * `NotLeaderError`. `skip` resolves to `undefined` without running the method, so the method's
   * type must allow that. A function of the method's arguments provides the result instead: its
   * return value, or what its promise resolves to. The function may throw.
   * @default 'throw'
   */
  onFollower?: Follower | undefined;
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper stores the election.
   * @default the connection without a name
   */
  connection?: string | undefined;
}

const ONLY_LEADER_OPTIONS = optionsOf('onFollower', 'connection');

/** The checked definition of one `@OnlyLeader()`. */
export interface OnlyLeaderDefinition extends Definition {
  readonly key: string;
  readonly options: OnlyLeaderOptions;
}

/** @throws {LockedDecoratorError} when the key or the options cannot work */
function defineOnlyLeader(
  method: DecoratedMethod,
  key: unknown,
  given: unknown,
): OnlyLeaderDefinition {
  const options = refuseIfThrows(method, () =>
    readChecked(given as OnlyLeaderOptions, ONLY_LEADER_OPTIONS, CONNECTION_HINTS),
  );
  const problem = findKeyProblem(key);
  if (problem) throw refusal(method, problem);
  refuseIfThrows(method, () => directoryOf('/', key as string));
  if (method.streams) {
    throw refusal(
      method,
      'it is on a method that returns an Observable. Return a promise instead.',
    );
  }
  const pattern = (key as string).slice(0, MAX_LABEL_LENGTH);
  return { ...method, key: key as string, pattern, options };
}

/** A placeholder for arguments, as in `@Locked()`, would become part of the name. */
function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return "its key is not a string. Pass, for example, 'scheduler'.";
  if (!/[{}]/.test(key)) return undefined;
  return 'its key contains braces, but an election cannot depend on arguments, because it is joined before the first call. Pass a fixed string.';
}

const READ_INSIDE = 'Read it to its end inside the method, and return an array.';

const UNGUARDED_STREAM =
  'it returned an Observable, which may outlast the leadership. Return a promise instead.';

/** The single entry into an `@OnlyLeader()` method. */
export async function leaderCall(
  definition: OnlyLeaderDefinition,
  { instance, args, invoke }: MethodCall,
): Promise<unknown> {
  const { method, options, wrapsLock } = definition;
  const { onFollower = 'throw' } = options;
  const scope = handlerScopeOf(definition);
  const service = findLockService(moduleRefOf(instance), method, options.connection, ONLY_LEADER);
  return internalsOf(service).outcomes.count(
    definition,
    (onRun) =>
      joinElection(service, definition).asLeader(async (lock) => {
        onRun();
        const finalArgs = wrapsLock ? args : replacePlaceholder(args, lock);
        const result = await runOutsideHandlerScope(definition, () => invoke(finalArgs));
        if (isLazyResult(result)) return refuseLazyResult(result, definition, READ_INSIDE);
        if (isObservable(result)) throw refusal(definition, UNGUARDED_STREAM);
        return result;
      }),
    (error) => {
      if (onFollower === 'throw' || !isNotForHere(error)) return undefined;
      const reason = `this process does not lead "${definition.key}"`;
      const given = replacePlaceholder(args, undefined);
      return () => answerInstead(definition, scope, onFollower, reason, given);
    },
  );
}

/** When a process shuts down, it hands over: another process leads, or soon will. */
function isNotForHere(error: unknown): boolean {
  return error instanceof NotLeaderError || error instanceof ZkClosedError;
}

export function joinElection(
  service: LockService,
  { method, key, pattern }: OnlyLeaderDefinition,
): LeaderElection {
  const label = method.slice(0, MAX_LABEL_LENGTH);
  return service.election(key, { label, pattern });
}

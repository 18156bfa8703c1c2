import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { isObservable } from 'rxjs';
import { type LeaderElection, ZkClosedError, NotLeaderError } from 'zk-locks';
import {
  CONNECTION_HINTS,
  directoryOf,
  MAX_LABEL_LENGTH,
  optionsOf,
  readChecked,
} from 'zk-locks/internal';
import type { LockService } from '../lock.service.js';
import { replacePlaceholder } from './current.js';
import { definitionsIn, type MethodDescriptor } from './decorated-method.js';
import { ONLY_LEADER } from './decorator-errors.js';
import {
  answerInstead,
  type AnswersFor,
  type BusyArgs,
  type DecoratedMethod,
  defineMethod,
  type OnBusy,
  refusal,
  refuseIfThrows,
  type TakesArgumentsOf,
} from './definition.js';
import { findLockService, moduleRefOf } from './find-lock-service.js';
import { isLazyResult, type MethodCall, refuseLazyResult, wrapMethod } from './guarded-call.js';

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
 * the class is request-scoped or the method is never called; a call before that joins. It never waits
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
 * - `NotLeaderError` where another process leads, or none does, unless `onFollower` says otherwise,
 * - `LockLostError` after the method has settled, when the leadership was lost while it ran,
 * - `ZkClosedError` when the application shuts down, unless `onFollower` says otherwise,
 * - `LockedSetupError` when Nest did not build the object, or `ZkLockModule` is not imported,
 * - `LockedDecoratorError` when it returned what works on after the leadership: an Observable, a generator
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
    wrapMethod(target, descriptor as unknown as MethodDescriptor, definition, leaderCall);
  };
}

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

const ONLY_LEADER_OPTIONS = optionsOf('onFollower', 'connection');

/** All that one `@OnlyLeader()` says, checked. */
export interface OnlyLeaderDefinition extends DecoratedMethod {
  readonly key: string;
  readonly options: OnlyLeaderOptions;
}

/**
 * @throws {LockedDecoratorError} when `@OnlyLeader()` does not stand on an instance's method, or was
 * given a key or options that cannot work
 */
export function defineOnlyLeader(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  key: unknown,
  given: unknown,
): OnlyLeaderDefinition {
  const method = defineMethod(target, propertyKey, descriptor, ONLY_LEADER);
  const options = refuseIfThrows(method, () =>
    readChecked(given as OnlyLeaderOptions, ONLY_LEADER_OPTIONS, CONNECTION_HINTS),
  );
  const problem = findKeyProblem(key);
  if (problem) throw refusal(method, problem);
  refuseIfThrows(method, () => directoryOf('/', key as string));
  if (method.streams) {
    throw refusal(method, 'it stands on a method that returns an Observable. Return a promise.');
  }
  return { ...method, key: key as string, options };
}

/** A hole for arguments, which `@Locked()` has, would become part of the name. */
function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return "its key is not a text. Write for example 'scheduler'.";
  if (!/[{}]/.test(key)) return undefined;
  return 'its key has braces, and an election, which is joined before the first call, cannot depend on arguments. Write a fixed text.';
}

const READ_INSIDE = 'Read it to its end inside the method, and return an array.';

const UNGUARDED_STREAM =
  'it returned an Observable, which may outlive the leadership. Return a promise.';

/** The one way into an `@OnlyLeader()` method. */
export async function leaderCall(
  definition: OnlyLeaderDefinition,
  { instance, args, invoke }: MethodCall,
): Promise<unknown> {
  const { method, options, wrapsLock } = definition;
  const { onFollower = 'throw' } = options;
  const service = findLockService(moduleRefOf(instance), method, options.connection, ONLY_LEADER);
  let hasBegun = false as boolean;
  try {
    return await joinElection(service, definition).asLeader(async (lock) => {
      hasBegun = true;
      const result = await invoke(wrapsLock ? args : replacePlaceholder(args, lock));
      if (isLazyResult(result)) return refuseLazyResult(result, definition, READ_INSIDE);
      if (isObservable(result)) throw refusal(definition, UNGUARDED_STREAM);
      return result;
    });
  } catch (error) {
    if (hasBegun || onFollower === 'throw' || !isNotForHere(error)) throw error;
    const reason = `this process does not lead "${definition.key}"`;
    return await answerInstead(definition, onFollower, reason, args);
  }
}

/** A process that shuts down has handed over: another process leads, or will. */
function isNotForHere(error: unknown): boolean {
  return error instanceof NotLeaderError || error instanceof ZkClosedError;
}

/**
 * Joins the elections that the `@OnlyLeader()` methods of one application name, so that there
 * is a leader before the first call.
 */
export class ElectionJoiner implements OnApplicationBootstrap {
  constructor(
    private readonly service: LockService,
    /** Whose service this is. */
    private readonly connection: string | undefined,
    private readonly modules: ModulesContainer,
  ) {}

  onApplicationBootstrap(): void {
    for (const definition of definitionsIn<OnlyLeaderDefinition>(this.modules, ONLY_LEADER)) {
      if (definition.options.connection === this.connection) {
        joinElection(this.service, definition);
      }
    }
  }
}

export function joinElection(
  service: LockService,
  { method, key }: OnlyLeaderDefinition,
): LeaderElection {
  const label = method.slice(0, MAX_LABEL_LENGTH);
  return service.election(key, { label, pattern: key.slice(0, MAX_LABEL_LENGTH) });
}

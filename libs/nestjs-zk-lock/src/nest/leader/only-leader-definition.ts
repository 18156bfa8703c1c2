import { directoryOf } from 'zk-locks/internal';
import { isObservableType } from '../guarded/observable-type.js';
import { checkPlace, describeMethod, hasLock } from '../guarded/decorated-method.js';
import { ONLY_LEADER } from '../guarded/decorator-words.js';
import { readDecoratorOptions, refuseIfThrows } from '../guarded/guarded-definition.js';
import { LockedDecoratorError } from '../guarded/guarded-errors.js';
import { ONLY_LEADER_OPTIONS, type OnlyLeaderOptions } from './only-leader.options.js';

/** All that one `@OnlyLeader()` says, checked. */
export interface OnlyLeaderDefinition {
  /** `Class.method`, for messages. */
  readonly method: string;
  readonly key: string;
  readonly options: OnlyLeaderOptions;
  /** Whether the method itself runs next, and no other decorator that holds a lock. */
  readonly innermost: boolean;
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
  const method = describeMethod(target, propertyKey);
  const refuse = (problem: string): LockedDecoratorError =>
    new LockedDecoratorError(method, problem, { decorator: ONLY_LEADER });
  checkPlace(method, target, propertyKey, descriptor, ONLY_LEADER);
  const options = readDecoratorOptions<OnlyLeaderOptions>(
    method,
    ONLY_LEADER,
    given,
    ONLY_LEADER_OPTIONS,
  );
  const problem = findKeyProblem(key);
  if (problem) throw refuse(problem);
  refuseIfThrows(method, ONLY_LEADER, () => directoryOf('/', key as string));
  if (isObservableType(Reflect.getOwnMetadata('design:returntype', target, propertyKey))) {
    throw refuse('it stands on a method that returns an Observable. Return a promise.');
  }
  return {
    method,
    key: key as string,
    options,
    innermost: !hasLock(descriptor.value),
  };
}

/** A hole for arguments, which `@Locked()` has, would become part of the name. */
function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return "its key is not a text. Write for example 'scheduler'.";
  if (!/[{}]/.test(key)) return undefined;
  return 'its key has braces, and an election, which is joined before the first call, cannot depend on arguments. Write a fixed text.';
}

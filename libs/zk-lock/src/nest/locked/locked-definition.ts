import type { Lock } from '../../locks/lock.js';
import { LOCKED } from '../guarded/decorator-words.js';
import {
  defineKey,
  defineMethod,
  type GuardedDefinition,
  readDecoratorOptions,
} from '../guarded/guarded-definition.js';
import { compileKeys } from '../guarded/lock-key.js';
import { replacePlaceholder } from './lock-placeholder.js';
import { LOCKED_CHECKS, type LockedOptions } from './locked.options.js';

/**
 * @throws {LockedDecoratorError} when `@Locked()` does not stand on an instance's method, or was
 * given a key or options that cannot work
 */
export function defineLocked(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  key: unknown,
  given: unknown,
): GuardedDefinition<Lock> {
  const method = defineMethod(target, propertyKey, descriptor, LOCKED);
  const options = readDecoratorOptions<LockedOptions>(method.method, LOCKED, given, LOCKED_CHECKS);
  const keysOf = defineKey(method, key, compileKeys);
  const { mode, reentrant, release } = options;
  return {
    ...method,
    options,
    async hold(service, { args, ...waiting }, section) {
      const acquireOptions = { mode, reentrant, release, ...waiting };
      const [first = '', ...more] = keysOf(args);
      if (more.length === 0) return service.withLock(first, acquireOptions, section);
      return service.withLocks([first, ...more], acquireOptions, () =>
        section(service.currentLock(first)),
      );
    },
    // That other lock is the innermost one then, and its decorator fills it in.
    ...(!method.wrapsLock && { fillIn: replacePlaceholder }),
  };
}

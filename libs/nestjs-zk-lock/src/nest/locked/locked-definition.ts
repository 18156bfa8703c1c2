import type { AcquireOptions, Lock } from 'zk-locks';
import { LOCKED } from '../guarded/decorator-words.js';
import {
  defineKey,
  defineMethod,
  type GuardedDefinition,
  type HoldRequest,
  readDecoratorOptions,
  refuseIfThrows,
} from '../guarded/guarded-definition.js';
import { resolveChecked } from '../guarded/guarded.options.js';
import { compileKeys, patternOf } from '../guarded/lock-key.js';
import type { LockService } from '../lock.service.js';
import { replacePlaceholder } from './lock-placeholder.js';
import { LOCKED_OPTIONS, type LockedOptions } from './locked.options.js';
import { holdAtMost } from './max-hold.js';
import { holdAtLeast, type LockedWork } from './min-hold.js';

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
  const options = readDecoratorOptions<LockedOptions>(method.method, LOCKED, given, LOCKED_OPTIONS);
  const keysOf = defineKey(method, key, compileKeys);
  const { mode, reentrant, release } = options;
  const pattern = refuseIfThrows(method.method, LOCKED, () => patternOf(key, method.method));
  return {
    ...method,
    options,
    pattern,
    async hold<T>(
      service: LockService,
      { args, ...waiting }: HoldRequest,
      section: (lock: Lock) => Promise<T>,
    ): Promise<T> {
      const minHoldMs = minHoldOf(options, args);
      const maxHoldMs = maxHoldOf(options, args);
      const keys = keysOf(args);
      const acquireOptions = { mode, reentrant, release, ...waiting };
      const take = (work: LockedWork<T>) => runLocked(service, keys, acquireOptions, work);
      const run: LockedWork<T> = (lock, all) =>
        maxHoldMs === undefined ? section(lock) : holdAtMost({ maxHoldMs, lock, all }, section);
      if (minHoldMs === 0) return take(run);
      return holdAtLeast({ minHoldMs, closing: service.closing }, take, run);
    },
    // That other lock is the innermost one then, and its decorator fills it in.
    ...(!method.wrapsLock && { fillIn: replacePlaceholder }),
  };
}

function minHoldOf({ minHoldMs }: LockedOptions, args: readonly unknown[]): number {
  return resolveChecked('minHoldMs', minHoldMs, args) ?? 0;
}

function maxHoldOf({ maxHoldMs }: LockedOptions, args: readonly unknown[]): number | undefined {
  return resolveChecked('maxHoldMs', maxHoldMs, args);
}

/** One or several keys; the first is that of the lock which stands for the others. */
function runLocked<T>(
  service: LockService,
  [first = '', ...more]: readonly string[],
  options: AcquireOptions,
  work: LockedWork<T>,
): Promise<T> {
  if (more.length === 0) return service.withLock(first, options, (lock) => work(lock, [lock]));
  return service.withLocks([first, ...more], options, ({ locks }) =>
    work(service.currentLock(first), locks),
  );
}

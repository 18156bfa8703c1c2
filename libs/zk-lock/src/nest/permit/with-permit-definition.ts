import { checkWanted, resolvePermitCount } from '../../locks/semaphore/semaphore-options.js';
import { WITH_PERMIT } from '../guarded/decorator-words.js';
import {
  defineKey,
  defineMethod,
  type GuardedDefinition,
  readDecoratorOptions,
  refuseIfThrows,
} from '../guarded/guarded-definition.js';
import { resolveOption } from '../guarded/guarded.options.js';
import { compileKey, patternOf } from '../guarded/lock-key.js';
import { WITH_PERMIT_CHECKS, type WithPermitOptions } from './with-permit.options.js';

/**
 * @throws {LockedDecoratorError} when `@WithPermit()` does not stand on an instance's method, or was
 * given a key or options that cannot work
 */
export function defineWithPermit(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  key: unknown,
  given: unknown,
): GuardedDefinition {
  const method = defineMethod(target, propertyKey, descriptor, WITH_PERMIT);
  const options = readDecoratorOptions<WithPermitOptions>(
    method.method,
    WITH_PERMIT,
    given,
    WITH_PERMIT_CHECKS,
  );
  const takenBy = refuseIfThrows(method.method, WITH_PERMIT, () => compileTake(options));
  const keyOf = defineKey(method, key, compileKey);
  const { permits, release } = options;
  const pattern = refuseIfThrows(method.method, WITH_PERMIT, () => patternOf(key, method.method));
  return {
    ...method,
    options,
    pattern,
    async hold(service, { args, ...waiting }, section) {
      const semaphore = service.semaphore(keyOf(args), { permits });
      return semaphore.withPermit({ permits: takenBy(args), release, ...waiting }, (permit) =>
        section({ key: permit.key, mode: 'permit', signal: permit.signal }),
      );
    },
  };
}

/**
 * Turns the arguments of a call into the number of permits it takes.
 *
 * @throws {ZkLockConfigError} as the function that is returned does
 */
function compileTake({
  permits,
  take = 1,
}: WithPermitOptions): (args: readonly unknown[]) => number {
  const count = resolvePermitCount({ permits }, '');
  if (typeof take === 'function') {
    return (args) => checkWanted('take', resolveOption('take', take, args) ?? 1, count);
  }
  const taken = checkWanted('take', take, count);
  return () => taken;
}

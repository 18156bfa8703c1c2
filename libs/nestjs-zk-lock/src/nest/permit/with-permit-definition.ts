import type { ModulesContainer } from '@nestjs/core';
import type { SemaphoreOptions } from 'zk-locks';
import { checkWanted, resolvePermitCount } from 'zk-locks/internal';
import type { AgreedPermits } from '../feature/agreed-permits.js';
import { WITH_PERMIT } from '../guarded/decorator-words.js';
import { definitionsIn } from '../guarded/definitions-in.js';
import {
  defineKey,
  defineMethod,
  type GuardedDefinition,
  readDecoratorOptions,
  refuseIfThrows,
} from '../guarded/guarded-definition.js';
import { resolveOption } from '../guarded/guarded.options.js';
import { compileKey, fixedKeyOf, patternOf } from '../guarded/lock-key.js';
import { WITH_PERMIT_METADATA } from '../zk-lock.constants.js';
import { WITH_PERMIT_OPTIONS, type WithPermitOptions } from './with-permit.options.js';

/** All that one `@WithPermit()` says, checked. */
export interface WithPermitDefinition extends GuardedDefinition {
  /**
   * Compares it with what the application has agreed on for its key, where that is a fixed text.
   *
   * @throws {LockedDecoratorError}
   */
  readonly checkPermits: (agreed: AgreedPermits) => void;
}

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
): WithPermitDefinition {
  const method = defineMethod(target, propertyKey, descriptor, WITH_PERMIT);
  const refusing = <T>(check: () => T): T => refuseIfThrows(method.method, WITH_PERMIT, check);
  const options = readDecoratorOptions<WithPermitOptions>(
    method.method,
    WITH_PERMIT,
    given,
    WITH_PERMIT_OPTIONS,
  );
  const { permits, take = 1, release } = options;
  refusing(() => checkTake(typeof take === 'function' ? 1 : take, permits));
  const keyOf = defineKey(method, key, compileKey);
  const pattern = refusing(() => patternOf(key, method.method));
  return {
    ...method,
    options,
    pattern,
    checkPermits(agreed) {
      const fixedKey = fixedKeyOf(key);
      if (fixedKey === undefined) return;
      refusing(() => {
        if (permits !== undefined) agreed.check(fixedKey, permits);
        else if (typeof take !== 'function') checkTake(take, agreed.of(fixedKey));
        else agreed.of(fixedKey);
      });
    },
    async hold(service, { args, ...waiting }, section) {
      const key = keyOf(args);
      const agreed = permits ?? service.agreedPermits.of(key);
      const taken = checkTake(resolveOption('take', take, args) ?? 1, agreed);
      const semaphore = service.semaphore(key, { permits: agreed, pattern });
      return semaphore.withPermit({ permits: taken, release, ...waiting }, (permit) =>
        section({ key: permit.key, mode: 'permit', signal: permit.signal }),
      );
    },
  };
}

/**
 * How many permits a call takes.
 *
 * @param permits how many there are, where that is known
 * @throws {ZkLockConfigError} when they are not that many
 */
function checkTake(take: unknown, permits: SemaphoreOptions['permits'] | undefined): number {
  const count = permits === undefined ? undefined : resolvePermitCount({ permits }, '');
  return checkWanted('take', take, count);
}

/**
 * Compares all `@WithPermit()` methods that use a connection with what `forFeature()` says.
 *
 * @throws {LockedDecoratorError}
 */
export function checkDecoratedPermits(
  modules: ModulesContainer,
  connection: string | undefined,
  agreed: AgreedPermits,
): void {
  for (const definition of definitionsIn<WithPermitDefinition>(modules, WITH_PERMIT_METADATA)) {
    if (definition.options.connection === connection) definition.checkPermits(agreed);
  }
}

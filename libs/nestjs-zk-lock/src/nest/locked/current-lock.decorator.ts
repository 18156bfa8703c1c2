import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import { hasLock } from '../guarded/decorated-method.js';
import { LOCK_PLACEHOLDER } from './lock-placeholder.js';
import { LockedSetupError } from '../guarded/guarded-errors.js';

/**
 * Gives a `@Locked()` or `@OnlyLeader()` handler its lock as an argument. For other methods there is `currentLock()`.
 *
 * @example
 * ```ts
 * @Post(':show/audit')
 * @Locked('audit:{0}')
 * async audit(@Param('show') show: string, @CurrentLock() lock: Lock) {}
 * ```
 *
 * @throws {LockedSetupError} when the handler is neither; it does not run then
 * @publicApi
 */
export const CurrentLock: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => {
    const handler = context.getHandler();
    if (!hasLock(handler)) {
      throw new LockedSetupError(
        `${context.getClass().name}.${handler.name}`,
        'it has a @CurrentLock() argument without being @Locked()',
        'Decorate the handler, or take the lock in the method that needs it and call currentLock() there.',
      );
    }
    return LOCK_PLACEHOLDER;
  },
);

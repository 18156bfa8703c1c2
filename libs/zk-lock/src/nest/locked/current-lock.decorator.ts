import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import { LOCK_PLACEHOLDER } from './lock-placeholder.js';
import { LockedSetupError } from './locked-errors.js';
import { LOCKED_METADATA } from '../zk-lock.constants.js';

/**
 * Gives a `@Locked()` handler its lock as an argument. For other methods there is `currentLock()`.
 *
 * @example
 * ```ts
 * @Post(':show/audit')
 * @Locked('audit:{0}')
 * async audit(@Param('show') show: string, @CurrentLock() lock: Lock) {}
 * ```
 *
 * @throws {LockedSetupError} when the handler is not `@Locked()`; it does not run then
 * @publicApi
 */
export const CurrentLock: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => {
    const handler = context.getHandler();
    if (!Reflect.hasMetadata(LOCKED_METADATA, handler)) {
      throw new LockedSetupError(
        `${context.getClass().name}.${handler.name}`,
        'it has a @CurrentLock() argument without being @Locked()',
        'Decorate the handler, or take the lock in the method that needs it and call currentLock() there.',
      );
    }
    return LOCK_PLACEHOLDER;
  },
);

import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { BoardAction } from './board-api.js';

const ACTION = 'nestjs-zk-lock:board-action';

/** Marks the handler of an action. */
export const ActionOf = (action: BoardAction): MethodDecorator => SetMetadata(ACTION, action);

/**
 * Returns the action of the lock board that a request asks for. Use it in guards in `actionGuards` that
 * allow one action and refuse another.
 *
 * @example
 * ```ts
 * canActivate(context: ExecutionContext) {
 *   return boardActionOf(context) !== 'break';
 * }
 * ```
 *
 * @returns undefined for requests that only read
 * @publicApi
 */
export function boardActionOf(context: ExecutionContext): BoardAction | undefined {
  return Reflect.getMetadata(ACTION, context.getHandler()) as BoardAction | undefined;
}

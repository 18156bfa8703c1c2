import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { BoardAction } from './board-api.js';

const ACTION = 'nestjs-zk-lock:board-action';

/** Marks the handler of an action. */
export const ActionOf = (action: BoardAction): MethodDecorator => SetMetadata(ACTION, action);

/**
 * The action of the lock board that a request asks for. For guards in `actionGuards`, which may allow
 * one action and refuse another.
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

import { type CanActivate, type ExecutionContext, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import { isObservable, lastValueFrom } from 'rxjs';
import { contextOf } from './action-log.guard.js';
import type { BoardAction } from './board-api.js';
import type { BoardGuard } from './board.options.js';

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** Finds out which actions a user may take, by asking the guards about each. */
export class ActionAccess {
  constructor(
    private readonly moduleRef: ModuleRef,
    private readonly guards: readonly BoardGuard[],
    private readonly handlerOf: (action: BoardAction) => Handler,
  ) {}

  async may(request: object, action: BoardAction): Promise<boolean> {
    const context = contextOf(request);
    if (!context) return false;
    const getHandler = (): Handler => this.handlerOf(action);
    const asked = Object.create(context, { getHandler: { value: getHandler } }) as ExecutionContext;
    for (const guard of this.guards) {
      if (!(await this.#allows(guard, asked, request))) return false;
    }
    return true;
  }

  async #allows(guard: BoardGuard, context: ExecutionContext, request: object): Promise<boolean> {
    try {
      const instance = typeof guard === 'function' ? await this.#find(guard, request) : guard;
      const answer = instance.canActivate(context);
      return await (isObservable(answer) ? lastValueFrom(answer) : answer);
    } catch {
      // Guards can also refuse by throwing an exception.
      return false;
    }
  }

  async #find(guard: Type<CanActivate>, request: object): Promise<CanActivate> {
    const found = this.moduleRef.introspect(guard);
    if (found.scope === Scope.DEFAULT) return this.moduleRef.get(guard);
    return this.moduleRef.resolve(guard, ContextIdFactory.getByRequest(request));
  }
}

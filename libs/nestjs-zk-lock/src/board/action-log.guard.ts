import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { boardActionOf } from './board-action.js';
import { BoardActions } from './board-actions.js';

/** The context of each request, with which guards can be asked about other actions. */
const contexts = new WeakMap<object, ExecutionContext>();

export const contextOf = (request: object): ExecutionContext | undefined => contexts.get(request);

/** Why our guards have refused a request. */
const reasons = new WeakMap<object, string>();

/** Records the reason, which is logged if the request asks for an action. */
export function noteRefusal(request: object, reason: string): void {
  reasons.set(request, reason);
}

interface AnyResponse {
  readonly statusCode: number;
  /** Fastify only: Node's response. */
  readonly raw?: AnyResponse;
  end(...args: unknown[]): unknown;
}

/** Does not use the event `finish`, which does not come if the client has left. */
function onAnswer(response: AnyResponse, listener: () => void): void {
  const end = response.end.bind(response);
  response.end = (...args) => {
    const ended = end(...args);
    listener();
    return ended;
  };
}

/**
 * Runs before the other guards of the board, and refuses nothing itself. Requests that those refuse never
 * reach the actions, so this guard logs them once they have been answered. It does not see requests that a
 * global guard refuses, because Nest runs global guards first. It also keeps the context of each request,
 * with which {@link ActionAccess} asks the guards.
 */
@Injectable()
export class ActionLogGuard implements CanActivate {
  constructor(@Inject(BoardActions) private readonly actions: BoardActions) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<object>();
    contexts.set(request, context);
    const action = boardActionOf(context);
    if (action === undefined) return true;
    const response = http.getResponse<AnyResponse>();
    const raw = response.raw ?? response;
    onAnswer(raw, () => {
      const { statusCode } = raw;
      if (statusCode < 400 || this.actions.hasTold(request)) return;
      const reason = reasons.get(request) ?? 'the application refused it';
      this.actions.tellRefused(action, request, `${reason} (${statusCode})`);
    });
    return true;
  }
}

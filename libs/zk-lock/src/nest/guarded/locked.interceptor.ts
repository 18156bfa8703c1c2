import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { Observable, catchError } from 'rxjs';
import { ClientGoneError, onClientGone } from './client-gone.js';
import { definitionsOf } from './decorated-method.js';
import { findLockService } from './find-lock-service.js';
import { runInHandlerScope } from './handler-scope.js';
import { mapLockError } from '../errors/lock-error-mapping.js';

/**
 * What a `@Locked()`, `@WithPermit()` or `@OnlyLeader()` handler runs through. It takes no lock, the
 * wrapped method does; it tells that method when nobody waits for the answer any more, and maps lock
 * errors where Nest may run no global interceptor: in gateways and microservices.
 *
 * These decorators put it on the method; there is no need to.
 *
 * @publicApi
 */
@Injectable()
export class LockedInterceptor implements NestInterceptor {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const definitions = definitionsOf(context.getHandler());
    const gone = new AbortController();
    // Not in the subscribe function below: `handle()` keeps the async context it is called in.
    const handled = runInHandlerScope({ definitions, signal: gone.signal }, () => next.handle());
    return new Observable((subscriber) => {
      const stopListening = this.listenForClient(context, gone);
      const subscription = handled
        .pipe(catchError((error: unknown) => this.fail(error, context)))
        .subscribe(subscriber);
      return () => {
        subscription.unsubscribe();
        stopListening();
        gone.abort(new ClientGoneError());
      };
    });
  }

  private listenForClient(context: ExecutionContext, gone: AbortController): () => void {
    if (context.getType() !== 'http') return () => undefined;
    return onClientGone(context.switchToHttp().getResponse(), () => {
      gone.abort(new ClientGoneError());
    });
  }

  private async fail(error: unknown, context: ExecutionContext): Promise<never> {
    // LockErrorsInterceptor's part, so that the controller's own interceptors see the lock error.
    const isHttp = context.getType() === 'http';
    if (isHttp || !this.mapsErrors(context)) throw error;
    throw await mapLockError(error, context, this.host);
  }

  private mapsErrors(context: ExecutionContext): boolean {
    return definitionsOf(context.getHandler()).some(
      ({ method, options }) =>
        findLockService(this.moduleRef, method, options.connection).mapsErrors,
    );
  }
}

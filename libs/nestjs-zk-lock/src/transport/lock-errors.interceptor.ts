import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { catchError, type Observable } from 'rxjs';
import { mapLockError } from './lock-error-mapping.js';

/**
 * Maps the lock errors that leave a handler, including those of `@Locked()` methods it calls, to
 * exceptions of its transport.
 *
 * `ZkLockModule` registers it for the whole application unless `mapErrors` is `false`. Nest 11 runs
 * no global interceptors in gateways, and no Nest does in the microservices of a hybrid application:
 * add it there with `@UseInterceptors(LockErrorsInterceptor)`. Errors of guards and middleware do not pass
 * through interceptors.
 *
 * @publicApi
 */
@Injectable()
export class LockErrorsInterceptor implements NestInterceptor {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        throw await mapLockError(error, context, this.host);
      }),
    );
  }
}

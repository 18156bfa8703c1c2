import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import {
  catchError,
  concatWith,
  defer,
  EMPTY,
  finalize,
  Observable,
  type Observer,
  of,
  type Subscriber,
  tap,
} from 'rxjs';
import { internalsOf } from '../lock.service.js';
import { ClientGoneError, isEvent, onCallerGone } from '../transport/caller-gone.js';
import { mapLockError } from '../transport/lock-error-mapping.js';
import { lockFailureOf } from '../transport/lock-failures.js';
import { runInHandlerScope } from './current.js';
import { definitionsOf } from './decorated-method.js';
import { LockedSetupError } from './decorator-errors.js';
import { findLockService } from './find-lock-service.js';

/** The contexts in which Nest runs global interceptors in every application. */
const GLOBALLY_INTERCEPTED: readonly string[] = ['http', 'graphql'];

/** `SSE_METADATA`, which Nest 11 and 12 export from different places. */
const SSE = '__sse__';

/** `ROUTE_ARGS_METADATA` and `RESPONSE_PASSTHROUGH_METADATA` of Nest. */
const ROUTE_ARGUMENTS = '__routeArguments__';
const PASSES_THROUGH = '__responsePassthrough__';

/** The keys of `@Res()` and `@Next()` among the arguments of a route. */
const RESPONSE_OR_NEXT = /^[12]:/;

/** `RENDER_METADATA` and `REDIRECT_METADATA` of Nest. */
const RENDER = '__renderTemplate__';
const REDIRECT = '__redirect__';

const logger = new Logger('LockedInterceptor');

/** Created once, because its stack is expensive: it ends every call, usually without a listener. */
const CALLER_LEFT = new ClientGoneError();

/**
 * Gives a `@Locked()`, `@WithPermit()` or `@OnlyLeader()` handler the scope of its request. It
 * acquires no lock: the wrapped method does. Nest runs interceptors before pipes, so an interceptor
 * does not know the arguments of which a key is made, and Nest runs none for the methods of
 * providers.
 *
 * The interceptor
 * - ends the method's wait and its Observable when the caller has left, because Nest does not end
 *   streams of microservices, and some interceptors prevent it from ending the others (that of
 *   `nestjs-cls` does),
 * - lets a handler return an Observable inside a promise, and holds the lock while it is subscribed
 *   to,
 * - answers for a handler with `@Res()` that has not run, because Nest does not,
 * - maps lock errors in gateways and microservices, where Nest may not run global interceptors.
 *
 * The decorators apply it to the method themselves.
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
    // Nest unsubscribes from the handlers of an event when one of them has failed. Another one that still
    // waits must not lose the event.
    let outlivesSubscriber = isEvent(context) && !isOfKafka(context);
    let isSkipped = false;
    const scope = {
      definitions,
      signal: gone.signal,
      needsValue: needsValue(context),
      onRun: () => (outlivesSubscriber = false),
      onSkipped: () => (isSkipped = true),
    };
    // Not inside the subscribe function below: `handle()` keeps the async context in which it is
    // called.
    const handled = runInHandlerScope(scope, () => next.handle());
    return new Observable((subscriber) => {
      let isEmpty = true;
      const stopListening = onCallerGone(context, () => {
        gone.abort(new ClientGoneError());
      });
      const answers = handled.pipe(
        catchError((error: unknown) => {
          // The caller that would be told has left. Interceptors around this one see it complete.
          if (gone.signal.aborted && error === gone.signal.reason) return EMPTY;
          throw error;
        }),
        tap(() => (isEmpty = false)),
        concatWith(
          defer(() => {
            const isCutShort = isEmpty && (isSkipped || gone.signal.aborted);
            return isCutShort && scope.needsValue ? of(undefined) : EMPTY;
          }),
        ),
        tap((answer) => {
          if (isSkipped && sendsItsResponse(context)) this.reply(context, answer);
        }),
        catchError((error: unknown) => this.fail(error, context)),
        // Also for an event that still waits: its own interceptors have ended it.
        finalize(() => {
          gone.abort(CALLER_LEFT);
        }),
      );
      // Other interceptors of the method may call their `handle()` when they are subscribed to.
      const subscription = runInHandlerScope(scope, () =>
        answers.subscribe(isEvent(context) ? onlyPassOn(subscriber) : subscriber),
      );
      return () => {
        stopListening();
        if (!outlivesSubscriber) subscription.unsubscribe();
      };
    });
  }

  /** The function that provides the answer may have sent it. */
  private reply(context: ExecutionContext, answer: unknown): void {
    const response: unknown = context.switchToHttp().getResponse();
    const { httpAdapter } = this.host;
    if (!httpAdapter.isHeadersSent(response)) httpAdapter.reply(response, answer);
  }

  private async fail(error: unknown, context: ExecutionContext): Promise<never> {
    // This is left to LockErrorsInterceptor, so that the controller's own interceptors see the lock
    // error.
    const isItsPart = GLOBALLY_INTERCEPTED.includes(context.getType());
    if (isItsPart || !lockFailureOf(error)) throw error;
    // There may be no service that decides whether to map the error.
    if (error instanceof LockedSetupError || !this.mapsErrors(context)) throw error;
    throw await mapLockError(error, context, this.host);
  }

  private mapsErrors(context: ExecutionContext): boolean {
    return definitionsOf(context.getHandler()).some(
      ({ method, options }) =>
        internalsOf(findLockService(this.moduleRef, method, options.connection)).mapsErrors,
    );
  }
}

/** An observer that does not stop its source when the subscriber unsubscribes. */
function onlyPassOn(subscriber: Subscriber<unknown>): Observer<unknown> {
  return {
    next: (value) => subscriber.next(value),
    error: (error) => {
      // Nest logs errors of events, but not after it has unsubscribed.
      if (subscriber.closed) logger.error(error);
      else subscriber.error(error);
    },
    complete: () => subscriber.complete(),
  };
}

/** Whether Nest fails, or never answers, if a stream ends without any value. */
function needsValue(context: ExecutionContext): boolean {
  if (context.getType() !== 'rpc') {
    return GLOBALLY_INTERCEPTED.includes(context.getType()) && !isSse(context);
  }
  // Nest joins the handlers of an event, and one without a value ends the others.
  if (isEvent(context) || isOfKafka(context)) return true;
  const [, , call] = context.getArgs<[unknown, unknown, GrpcCall?]>();
  return call !== undefined && !call.write;
}

/** Whether it is a run for a message of Kafka, which delivers it again if its handling has failed. */
function isOfKafka(context: ExecutionContext): boolean {
  const [, rpcContext] = context.getArgs<[unknown, { getConsumer?(): unknown }?]>();
  return context.getType() === 'rpc' && rpcContext?.getConsumer !== undefined;
}

/** A call of gRPC. Only one whose answer is a stream has `write`. */
interface GrpcCall {
  readonly write?: unknown;
}

function isSse(context: ExecutionContext): boolean {
  return Reflect.getMetadata(SSE, context.getHandler()) === true;
}

/** Whether Nest leaves the response to the handler: it has `@Res()` or `@Next()`. */
function sendsItsResponse(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  if (context.getType() !== 'http' || isSse(context) || isSentByNest(handler)) return false;
  // Not the handler's name, which is another one if another decorator has wrapped it as well.
  const [definition] = definitionsOf(handler);
  if (!definition) return false;
  const place = [context.getClass(), definition.propertyKey] as const;
  if (Reflect.getMetadata(PASSES_THROUGH, ...place) === true) return false;
  const args = Reflect.getMetadata(ROUTE_ARGUMENTS, ...place) as object | undefined;
  return Object.keys(args ?? {}).some((key) => RESPONSE_OR_NEXT.test(key));
}

/** Whether Nest renders a template or redirects, even if the handler has `@Res()`. */
function isSentByNest(handler: object): boolean {
  const redirect = Reflect.getMetadata(REDIRECT, handler) as { url?: unknown } | undefined;
  return Reflect.hasMetadata(RENDER, handler) || typeof redirect?.url === 'string';
}

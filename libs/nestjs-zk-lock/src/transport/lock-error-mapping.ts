import { type ContextType, type ExecutionContext, HttpException, Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { isEvent, rawResponseOf } from './caller-gone.js';
import { INTERNAL_FAILURE, type LockFailure, lockFailureOf } from './lock-failures.js';

const logger = new Logger('LockErrors');

/**
 * Maps an error of this library to the exception with which a handler's transport informs its
 * caller: for HTTP, 423 with `Retry-After`, 499, 503 or 500; for GraphQL, an error with `extensions`;
 * otherwise, `RpcException` (except for events) or `WsException`. Its message names neither the key
 * nor a server; the error becomes its `cause`. Other errors, and errors of other kinds of handlers,
 * are not changed.
 */
export async function mapLockError(
  error: unknown,
  context: ExecutionContext,
  host: HttpAdapterHost,
): Promise<unknown> {
  const failure = lockFailureOf(error);
  const exception = failure && (await toException(failure, error, context, host));
  // Nest logs unknown errors, but not its own exceptions, so the error is logged here.
  if (exception && failure === INTERNAL_FAILURE) logger.error(error);
  return exception ?? error;
}

async function toException(
  failure: LockFailure,
  cause: unknown,
  context: ExecutionContext,
  { httpAdapter }: HttpAdapterHost,
): Promise<Error | undefined> {
  switch (context.getType<ContextType | 'graphql'>()) {
    case 'http': {
      const response: unknown = context.switchToHttp().getResponse();
      if (!rawResponseOf(response)) return undefined;
      if (failure.retryAfter !== undefined && !httpAdapter.isHeadersSent(response)) {
        httpAdapter.setHeader(response, 'Retry-After', String(failure.retryAfter));
      }
      return toHttpException(failure, cause);
    }
    case 'graphql':
      return toGraphQLException(failure, cause);
    case 'rpc': {
      // `emit()` gets no answer, and Nest 11 does not log an `RpcException`.
      if (isEvent(context)) return undefined;
      const { RpcException } = await import('@nestjs/microservices');
      return withCause(new RpcException(toMessage(failure)), cause);
    }
    case 'ws': {
      const { WsException } = await import('@nestjs/websockets');
      return withCause(new WsException(toMessage(failure)), cause);
    }
    default:
      return undefined;
  }
}

function toHttpException(
  { status, error, message, code }: LockFailure,
  cause: unknown,
): HttpException {
  return new HttpException({ statusCode: status, message, error, code }, status, { cause });
}

function toMessage({ message, code }: LockFailure): object {
  return { status: 'error', message, code };
}

function withCause<T extends Error>(exception: T, cause: unknown): T {
  return Object.defineProperty(exception, 'cause', { value: cause, configurable: true });
}

/** The code that Apollo gives to errors without one. */
const INTERNAL = 'INTERNAL_SERVER_ERROR';

/**
 * A lock error for the caller of a resolver. GraphQL.js copies the `extensions` of whatever a
 * resolver throws into its response. So this needs no class of the package `graphql`, of which an
 * application may have loaded two copies.
 */
export function toGraphQLException(failure: LockFailure, cause: unknown): HttpException {
  const { message, code, status, error } = failure;
  // Without `statusCode`, because the Apollo driver would then replace our code by its own.
  const exception = new HttpException({ message, error, code }, status, { cause });
  return Object.assign(exception, { extensions: toExtensions(failure) });
}

/**
 * The `extensions` of an error in a GraphQL response, with the HTTP status that the error would have
 * elsewhere. Apollo Server removes `http` from the response body and applies it to the HTTP response.
 */
function toExtensions({ code = INTERNAL, status, retryAfter }: LockFailure): object {
  const headers = new Map<string, string>();
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  const http = { status, headers };
  return { code, status, ...(retryAfter !== undefined && { retryAfter }), http };
}

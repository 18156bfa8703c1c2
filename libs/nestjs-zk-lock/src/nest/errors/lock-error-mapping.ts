import { type ContextType, type ExecutionContext, HttpException, Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { toGraphQLException } from './graphql-exception.js';
import { INTERNAL_FAILURE, type LockFailure, lockFailureOf } from './lock-failures.js';

const logger = new Logger('LockErrors');

/**
 * The exception with which a handler's transport tells its caller about an error of this library: for
 * HTTP 423 with `Retry-After`, 503, or 500; an error with `extensions` for GraphQL; `RpcException` and
 * `WsException` elsewhere. Its message names neither key nor server; the error becomes its `cause`.
 * Other errors, and other kinds of handlers, keep theirs.
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
      if (failure.retryAfter !== undefined && !httpAdapter.isHeadersSent(response)) {
        httpAdapter.setHeader(response, 'Retry-After', String(failure.retryAfter));
      }
      return toHttpException(failure, cause);
    }
    case 'graphql':
      return toGraphQLException(failure, cause);
    case 'rpc': {
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

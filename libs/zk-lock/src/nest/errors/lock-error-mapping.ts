import { type ContextType, type ExecutionContext, HttpException } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { toGraphQLException } from './graphql-exception.js';
import { type LockFailure, lockFailureOf } from './lock-failures.js';

/**
 * The exception with which a handler's transport tells its caller about a lock error: for HTTP 423
 * with `Retry-After`, or 503; an error with `extensions` for GraphQL; `RpcException` and
 * `WsException` elsewhere. The error becomes its `cause`. Other errors, and other kinds of handlers,
 * keep theirs.
 */
export async function mapLockError(
  error: unknown,
  context: ExecutionContext,
  { httpAdapter }: HttpAdapterHost,
): Promise<unknown> {
  const failure = lockFailureOf(error);
  if (!failure) return error;
  switch (context.getType<ContextType | 'graphql'>()) {
    case 'http': {
      const response: unknown = context.switchToHttp().getResponse();
      if (failure.retryAfter !== undefined && !httpAdapter.isHeadersSent(response)) {
        httpAdapter.setHeader(response, 'Retry-After', String(failure.retryAfter));
      }
      return toHttpException(failure, error);
    }
    case 'graphql':
      return toGraphQLException(failure, error);
    case 'rpc': {
      const { RpcException } = await import('@nestjs/microservices');
      return withCause(new RpcException(toMessage(failure)), error);
    }
    case 'ws': {
      const { WsException } = await import('@nestjs/websockets');
      return withCause(new WsException(toMessage(failure)), error);
    }
    default:
      return error;
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

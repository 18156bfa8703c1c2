import { HttpException } from '@nestjs/common';
import type { LockFailure } from './lock-failures.js';

/** What Apollo says of errors that have no code. */
const INTERNAL = 'INTERNAL_SERVER_ERROR';

/** What stands under `extensions` in an error of a GraphQL response. */
interface LockExtensions {
  readonly code: string;
  /** The HTTP status that the error would have elsewhere. */
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** For Apollo Server, which takes it out of the answer and applies it to the HTTP response. */
  readonly http: { readonly status: number; readonly headers: ReadonlyMap<string, string> };
}

/**
 * A lock error for the caller of a resolver. GraphQL.js puts the `extensions` of whatever a resolver
 * throws into its answer, so that this needs no class of the package `graphql`, of which an
 * application may have loaded two.
 */
export function toGraphQLException(failure: LockFailure, cause: unknown): HttpException {
  const { message, code, status, error } = failure;
  // Without `statusCode`: the Apollo driver would put a code of its own in place of ours.
  const exception = new HttpException({ message, error, code }, status, { cause });
  return Object.assign(exception, { extensions: toExtensions(failure) });
}

function toExtensions({ code = INTERNAL, status, retryAfter }: LockFailure): LockExtensions {
  const headers = new Map<string, string>();
  if (retryAfter === undefined) return { code, status, http: { status, headers } };
  headers.set('retry-after', String(retryAfter));
  return { code, status, retryAfter, http: { status, headers } };
}

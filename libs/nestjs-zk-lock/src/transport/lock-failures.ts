import { HttpStatus } from '@nestjs/common';
import {
  LockAbortedError,
  LockHoldTimeoutError,
  LockLostError,
  LockQueueFullError,
  ZkClosedError,
  LockTimeoutError,
  NotLeaderError,
  ZkLockError,
  ZooKeeperUnavailableError,
} from 'zk-locks';
import { ClientGoneError } from './caller-gone.js';

/**
 * What a remote caller may know about a lock error: what to do next, but neither key nor server.
 */
export interface LockFailure {
  readonly status: number;
  /** The status in words; undefined in {@link INTERNAL_FAILURE}. */
  readonly error?: string;
  readonly message: string;
  /** The code of the lock error; undefined in {@link INTERNAL_FAILURE}. */
  readonly code?: string;
  /** The value of the `Retry-After` header, in seconds. */
  readonly retryAfter?: number;
}

/** Nginx's status for a request whose client has left. The client never sees it, but logs do. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * For mistakes in the application (a malformed key, an upgrade, a foreign directory), whose
 * messages name znodes and options. It is Nest's response to any error that it does not know.
 */
export const INTERNAL_FAILURE: LockFailure = {
  status: HttpStatus.INTERNAL_SERVER_ERROR,
  message: 'Internal server error',
};

type ErrorClass = new (...args: never[]) => ZkLockError;

/** The errors that become a 503: what the caller is told, and the value of `Retry-After`. */
const UNAVAILABLE: readonly (readonly [error: ErrorClass, message: string, retryAfter?: number])[] =
  [
    [LockQueueFullError, 'Too many operations are waiting for this resource. Try again later.', 1],
    [ZooKeeperUnavailableError, 'The lock service cannot be reached. Try again later.'],
    // Behind a load balancer, another attempt is likely to reach another replica.
    [NotLeaderError, 'Another instance of the service has to handle this. Try again.', 1],
    [ZkClosedError, 'The server is shutting down. Try again.'],
    [
      LockLostError,
      'The operation lost its lock before it was done. Check what it did before trying again.',
    ],
    [
      LockHoldTimeoutError,
      'The operation took too long and was stopped. Check what it did before trying again.',
    ],
  ];

/** What the caller may know about an error; undefined for errors of other libraries. */
export function lockFailureOf(error: unknown): LockFailure | undefined {
  if (!(error instanceof ZkLockError)) return undefined;
  const { code } = error;
  if (error instanceof LockTimeoutError) {
    return {
      status: HttpStatus.LOCKED,
      error: 'Locked',
      message: 'The resource is in use by another operation. Try again later.',
      code,
      retryAfter: Math.max(1, Math.ceil(error.timeoutMs / 1000)),
    };
  }
  if (error instanceof LockAbortedError && error.cause instanceof ClientGoneError) {
    const { message } = error.cause;
    return { status: CLIENT_CLOSED_REQUEST, error: 'Client Closed Request', message, code };
  }
  const unavailable = UNAVAILABLE.find(([type]) => error instanceof type);
  if (!unavailable) return INTERNAL_FAILURE;
  const [, message, retryAfter] = unavailable;
  return {
    status: HttpStatus.SERVICE_UNAVAILABLE,
    error: 'Service Unavailable',
    message,
    code,
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

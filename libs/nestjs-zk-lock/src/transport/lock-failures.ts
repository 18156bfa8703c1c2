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

/** What the caller may know about an error; undefined for errors of other libraries. */
export function lockFailureOf(error: unknown): LockFailure | undefined {
  if (error instanceof LockTimeoutError) {
    return {
      status: HttpStatus.LOCKED,
      error: 'Locked',
      message: 'The resource is in use by another operation. Try again later.',
      code: error.code,
      retryAfter: Math.max(1, Math.ceil(error.timeoutMs / 1000)),
    };
  }
  if (error instanceof LockQueueFullError) {
    const failure = unavailable(
      error,
      'Too many operations are waiting for this resource. Try again later.',
    );
    return { ...failure, retryAfter: 1 };
  }
  if (error instanceof ZooKeeperUnavailableError) {
    return unavailable(error, 'The lock service cannot be reached. Try again later.');
  }
  if (error instanceof NotLeaderError) {
    // Behind a load balancer, another attempt is likely to reach another replica.
    const failure = unavailable(
      error,
      'Another instance of the service has to handle this. Try again.',
    );
    return { ...failure, retryAfter: 1 };
  }
  if (error instanceof ZkClosedError) {
    return unavailable(error, 'The server is shutting down. Try again.');
  }
  if (error instanceof LockLostError) {
    return unavailable(
      error,
      'The operation lost its lock before it was done. Check what it did before trying again.',
    );
  }
  if (error instanceof LockHoldTimeoutError) {
    return unavailable(
      error,
      'The operation took too long and was stopped. Check what it did before trying again.',
    );
  }
  if (error instanceof LockAbortedError && error.cause instanceof ClientGoneError) {
    return {
      status: CLIENT_CLOSED_REQUEST,
      error: 'Client Closed Request',
      message: error.cause.message,
      code: error.code,
    };
  }
  return error instanceof ZkLockError ? INTERNAL_FAILURE : undefined;
}

function unavailable({ code }: ZkLockError, message: string): LockFailure {
  return { status: HttpStatus.SERVICE_UNAVAILABLE, error: 'Service Unavailable', message, code };
}

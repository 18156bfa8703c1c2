import { types } from 'node:util';
import { ZkLockError } from '../zk-lock-error.js';

/**
 * What is known about a failed request:
 * - `definite`: the server refused it;
 * - `ambiguous`: the answer is missing; the server may or may not have done it;
 * - `not-sent`: it never left this process;
 * - `session-over`: the server has ended the session;
 * - `auth`: the connection was refused for its credentials.
 */
export type RequestOutcome = 'definite' | 'ambiguous' | 'not-sent' | 'session-over' | 'auth';

interface ReplyCode {
  readonly code: string;
  readonly outcome: RequestOutcome;
  readonly text: string;
}

/**
 * Apache ZooKeeper's return codes (`zookeeper.h`, `KeeperException.Code`) that can occur with
 * locks.
 */
const REPLY_CODES: Readonly<Record<number, ReplyCode>> = {
  [-2]: { code: 'ZK_RUNTIME_INCONSISTENCY', outcome: 'ambiguous', text: 'runtime inconsistency' },
  [-4]: { code: 'ZK_CONNECTION_LOSS', outcome: 'ambiguous', text: 'connection lost' },
  [-5]: { code: 'ZK_MARSHALLING', outcome: 'ambiguous', text: 'marshalling error' },
  [-6]: { code: 'ZK_UNIMPLEMENTED', outcome: 'definite', text: 'not implemented by the server' },
  [-7]: { code: 'ZK_OPERATION_TIMEOUT', outcome: 'ambiguous', text: 'no answer in time' },
  [-8]: { code: 'ZK_BAD_ARGUMENTS', outcome: 'definite', text: 'bad arguments' },
  [-9]: { code: 'ZK_INVALID_STATE', outcome: 'not-sent', text: 'not connected' },
  [-101]: { code: 'ZK_NO_NODE', outcome: 'definite', text: 'no node' },
  [-102]: { code: 'ZK_NO_AUTH', outcome: 'definite', text: 'not permitted by the ACL' },
  [-103]: { code: 'ZK_BAD_VERSION', outcome: 'definite', text: 'version conflict' },
  [-108]: {
    code: 'ZK_NO_CHILDREN_FOR_EPHEMERALS',
    outcome: 'definite',
    text: 'ephemeral nodes have no children',
  },
  [-110]: { code: 'ZK_NODE_EXISTS', outcome: 'definite', text: 'node exists' },
  [-111]: { code: 'ZK_NOT_EMPTY', outcome: 'definite', text: 'node has children' },
  [-114]: { code: 'ZK_INVALID_ACL', outcome: 'definite', text: 'ACL not valid for the server' },
  [-112]: { code: 'ZK_SESSION_EXPIRED', outcome: 'session-over', text: 'session expired' },
  [-113]: { code: 'ZK_AUTH_FAILED', outcome: 'auth', text: 'authentication failed' },
  [-115]: { code: 'ZK_AUTH_FAILED', outcome: 'auth', text: 'authentication failed' },
  [-116]: { code: 'ZK_CLOSING', outcome: 'ambiguous', text: 'client closing' },
  [-118]: {
    code: 'ZK_SESSION_MOVED',
    outcome: 'ambiguous',
    text: 'session moved to another server',
  },
  [-120]: {
    code: 'ZK_LOCAL_SESSION',
    outcome: 'definite',
    text: 'sessions of this server cannot have ephemeral nodes',
  },
  [-124]: { code: 'ZK_AUTH_FAILED', outcome: 'auth', text: 'the servers require authentication' },
  [-125]: { code: 'ZK_QUOTA_EXCEEDED', outcome: 'definite', text: "over the directory's quota" },
  [-127]: {
    code: 'ZK_THROTTLED',
    outcome: 'definite',
    text: 'refused by a server that is too busy',
  },
  [-128]: {
    code: 'ZK_TOO_MANY_EPHEMERALS',
    outcome: 'definite',
    text: 'too many lock nodes in one session',
  },
};

export const ReturnCode = {
  ok: 0,
  runtimeInconsistency: -2,
  connectionLoss: -4,
  marshallingError: -5,
  unimplemented: -6,
  operationTimeout: -7,
  badArguments: -8,
  invalidState: -9,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  nodeExists: -110,
  notEmpty: -111,
  sessionExpired: -112,
  authRequired: -124,
  throttled: -127,
  tooManyEphemerals: -128,
} as const;

/** A request to ZooKeeper failed. `returnCode` is ZooKeeper's number for the error. */
export class ZooKeeperError extends ZkLockError {
  readonly code: string;
  readonly outcome: RequestOutcome;

  constructor(
    readonly returnCode: number,
    readonly request: string,
    readonly path: string,
    { remedy, ...options }: ErrorOptions & { readonly remedy?: string } = {},
  ) {
    const reply = describeReturnCode(returnCode);
    super(
      `ZooKeeper ${request} ${path}: ${reply.text} (${returnCode})${reasonOf(options.cause)}.${remedy === undefined ? '' : ` ${remedy}`}`,
      options,
      reply.code,
    );
    this.code = reply.code;
    this.outcome = reply.outcome;
  }
}

/** A transaction was not executed, because ZooKeeper refused one of its operations. */
export class OperationRefusedError extends ZooKeeperError {
  constructor(
    returnCode: number,
    operation: string,
    path: string,
    /** The index of the refused operation, starting at 0. */
    readonly index: number,
  ) {
    super(returnCode, operation, path);
  }
}

/** What the system or the client reported, as the end of a sentence. */
function reasonOf(cause: unknown): string {
  return types.isNativeError(cause) ? `: ${cause.message.replace(/\.$/, '')}` : '';
}

/**
 * Describes a code that is not in the table: from -100 down, the server's own codes are refusals.
 */
export function describeReturnCode(returnCode: number): ReplyCode {
  return (
    REPLY_CODES[returnCode] ?? {
      code: 'ZK_UNKNOWN',
      outcome: returnCode <= -100 ? 'definite' : 'ambiguous',
      text: 'unknown error',
    }
  );
}

export function hasReturnCode(error: unknown, returnCode: number): error is ZooKeeperError {
  return error instanceof ZooKeeperError && error.returnCode === returnCode;
}

/** Whether the server may or may not have executed the request. */
export function isAmbiguous(error: unknown): error is ZooKeeperError {
  return error instanceof ZooKeeperError && error.outcome === 'ambiguous';
}

/** Whether the request got no answer, so that a reconnect decides what to do next. */
export function isConnectionError(error: unknown): error is ZooKeeperError {
  return (
    error instanceof ZooKeeperError &&
    (error.outcome === 'ambiguous' ||
      error.outcome === 'not-sent' ||
      error.outcome === 'session-over')
  );
}

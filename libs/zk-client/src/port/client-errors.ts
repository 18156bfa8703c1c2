import { types } from 'node:util';
import { ErrorCode } from 'zk-protocol';
import { messageWithoutLink, ZkLockError } from '../zk-lock-error.js';

/**
 * What is known about a failed request:
 * - `definite`: the server refused it, or it was a read whose answer is too long;
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
const REPLY_CODES: Readonly<Record<number, readonly [string, RequestOutcome, string]>> = {
  [-2]: ['ZK_RUNTIME_INCONSISTENCY', 'ambiguous', 'runtime inconsistency'],
  [-4]: ['ZK_CONNECTION_LOSS', 'ambiguous', 'connection lost'],
  [-5]: ['ZK_MARSHALLING', 'ambiguous', 'marshalling error'],
  [-6]: ['ZK_UNIMPLEMENTED', 'definite', 'not implemented by the server'],
  [-7]: ['ZK_OPERATION_TIMEOUT', 'ambiguous', 'no answer in time'],
  [-8]: ['ZK_BAD_ARGUMENTS', 'definite', 'bad arguments'],
  [-9]: ['ZK_INVALID_STATE', 'not-sent', 'not connected'],
  [-101]: ['ZK_NO_NODE', 'definite', 'no node'],
  [-102]: ['ZK_NO_AUTH', 'definite', 'not permitted by the ACL'],
  [-103]: ['ZK_BAD_VERSION', 'definite', 'version conflict'],
  [-108]: ['ZK_NO_CHILDREN_FOR_EPHEMERALS', 'definite', 'ephemeral nodes have no children'],
  [-110]: ['ZK_NODE_EXISTS', 'definite', 'node exists'],
  [-111]: ['ZK_NOT_EMPTY', 'definite', 'node has children'],
  [-114]: ['ZK_INVALID_ACL', 'definite', 'ACL not valid for the server'],
  [-112]: ['ZK_SESSION_EXPIRED', 'session-over', 'session expired'],
  [-113]: ['ZK_AUTH_FAILED', 'auth', 'authentication failed'],
  [-115]: ['ZK_AUTH_FAILED', 'auth', 'authentication failed'],
  [-116]: ['ZK_CLOSING', 'ambiguous', 'client closing'],
  [-118]: ['ZK_SESSION_MOVED', 'ambiguous', 'session moved to another server'],
  [-120]: ['ZK_LOCAL_SESSION', 'definite', 'sessions of this server cannot have ephemeral nodes'],
  [-124]: ['ZK_AUTH_FAILED', 'auth', 'the servers require authentication'],
  [-125]: ['ZK_QUOTA_EXCEEDED', 'definite', "over the directory's quota"],
  [-127]: ['ZK_THROTTLED', 'definite', 'refused by a server that is too busy'],
  [-128]: ['ZK_TOO_MANY_EPHEMERALS', 'definite', 'too many ephemeral nodes in one session'],
  [-129]: ['ZK_ANSWER_TOO_LONG', 'definite', 'the answer is too long'],
};

/** The codes of servers, and those that only clients have. */
export const ReturnCode = {
  ...ErrorCode,
  invalidState: -9,
  tooManyEphemerals: -128,
  answerTooLong: -129,
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
  return types.isNativeError(cause) ? `: ${messageOf(cause).replace(/\.$/, '')}` : '';
}

/** What was thrown, for people. In OpenSSL's messages, the reason is among numbers and its sources. */
export function messageOf(error: unknown): string {
  if (error instanceof ZkLockError) return messageWithoutLink(error);
  if (!types.isNativeError(error)) return String(error);
  const { message, library, reason } = error as Error & { library?: unknown; reason?: unknown };
  return library === 'SSL routines' ? `TLS: ${String(reason)}` : message;
}

/**
 * Describes a code that is not in the table: from -100 down, the server's own codes are refusals.
 */
export function describeReturnCode(returnCode: number): ReplyCode {
  const unknown = returnCode <= -100 ? 'definite' : 'ambiguous';
  const [code, outcome, text] = REPLY_CODES[returnCode] ?? ['ZK_UNKNOWN', unknown, 'unknown error'];
  return { code, outcome, text };
}

export function hasReturnCode(error: unknown, returnCode: number): error is ZooKeeperError {
  return error instanceof ZooKeeperError && error.returnCode === returnCode;
}

/** The answer about a node, or `instead` if the node does not exist. */
export function orIfGone<T, U>(answer: Promise<T>, instead: U): Promise<T | U> {
  return answer.catch((error: unknown) => {
    if (hasReturnCode(error, ReturnCode.noNode)) return instead;
    throw error;
  });
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

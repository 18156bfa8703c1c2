import type { LockMode } from '../../libs/zk-locks/src/lock/lock.js';
import { Wait } from '../../libs/zk-client/src/session/wait.js';
import type { NodeGrant } from '../../libs/zk-locks/src/grant/node-grant.js';
import type { LockRequest } from '../../libs/zk-locks/src/read-write/read-write-locks.js';
import type { ModelNode } from './model-requests.js';

export const DIRECTORY = '/locks/k';

/** A call of this process. */
export interface Call {
  readonly mode: LockMode;
  readonly stop: AbortController;
  holding: NodeGrant | undefined;
  error: unknown;
}

/** A contender of another process. It always sees the server's current state. */
export interface Foreign {
  readonly node: ModelNode;
  readonly mode: LockMode;
  holds: boolean;
  /** Whether it is a reader that tries to become a writer and does not know the result yet. */
  isAttempt: boolean;
  /** A reader that has been a writer cannot become one again. */
  hasWritten: boolean;
}

export const isWaiting = ({ holding, error }: Call): boolean => !holding && error === undefined;
export const isWriting = ({ holding }: Call): boolean => holding?.mode === 'write';
export const isReading = ({ holding }: Call): boolean => holding?.mode === 'read';
export const isHeld = (holding: NodeGrant | undefined): boolean =>
  holding !== undefined && !holding.isReleased && !holding.loss;

export const requestOf = (mode: LockMode, timeoutMs: number): LockRequest =>
  ({ key: 'k', mode, directory: DIRECTORY, timeoutMs }) as LockRequest;

export function newWait(stop: AbortController, timeoutMs: number, onBlocked?: () => void): Wait {
  return new Wait({
    timeoutMs,
    answerWithinMs: Infinity,
    onTimeout: () => new Error('busy'),
    signal: stop.signal,
    onAbort: () => new Error('given up'),
    onBlocked,
  });
}

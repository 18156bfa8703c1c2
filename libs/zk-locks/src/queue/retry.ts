import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { hasReturnCode, isConnectionError, ReturnCode } from '../client/client-errors.js';
import type { CreateMode } from '../client/zookeeper-client.js';
import { backoffDelay } from '../session/backoff.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Wait } from './wait.js';

const BASE_MS = 20;
const LONGEST_MS = 1_000;

/** The session that a step belonged to is over, and its ephemeral nodes are gone with it. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}

/**
 * Repeats an idempotent request over reconnects until it is answered.
 *
 * @throws {SessionOverError} when the session ends first
 * @throws {ZooKeeperError} the server's own refusal
 */
export async function retryUntilAnswered<T>(
  session: Session,
  lease: SessionLease,
  request: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      await untilReconnected(session, lease);
    }
  }
}

/** Makes sure that there is a node of this name. May be repeated when an answer was lost. */
export async function ensureNode(
  session: Session,
  lease: SessionLease,
  path: string,
  data: Buffer,
  mode: Exclude<CreateMode, 'ephemeral-sequential'>,
): Promise<void> {
  try {
    await session.create(lease, path, data, mode);
  } catch (error) {
    if (!hasReturnCode(error, ReturnCode.nodeExists)) throw error;
  }
}

/** @throws {SessionOverError} when the session ends instead */
export async function untilReconnected(session: Session, lease: SessionLease): Promise<void> {
  // Never in the same turn: a connection that is about to be given up may still look alive.
  await nextTurn();
  if (!(await session.whenReconnected(lease))) throw new SessionOverError();
}

/**
 * Pauses before an attempt where the same has failed more than once: a single setback is met at
 * once, and a server or an operator who causes them without end does not keep the process busy.
 *
 * @param attempt how many have failed, at least one
 * @throws the error of `wait` once that is over
 */
export async function retryDelay(attempt: number, wait: Wait): Promise<void> {
  if (attempt > 1) {
    const delay = backoffDelay(attempt - 1, { baseMs: BASE_MS, capMs: LONGEST_MS });
    await sleep(delay, undefined, { signal: wait.signal }).catch(() => undefined);
  }
  wait.throwIfOver();
}

/** The answer about a node, or what stands for it where there is no such node. */
export function orIfGone<T, U>(answer: Promise<T>, instead: U): Promise<T | U> {
  return answer.catch((error: unknown) => {
    if (hasReturnCode(error, ReturnCode.noNode)) return instead;
    throw error;
  });
}

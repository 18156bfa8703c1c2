import type { ZkClient } from 'zk-locks';
import { type Journal, machineTime } from '../../../workers/soak/journal.js';
import type { Random } from '../../../workers/soak/random.js';
import type { Ledger, UserCall, UserOutcome } from './ledger.js';

/** What the users of a process have in common. */
export interface UserContext {
  /** Its name. */
  readonly process: string;
  readonly client: ZkClient;
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly random: Random;
  /** The directories of locks. */
  readonly directories: readonly string[];
  /** How often the state of the session has changed. */
  changes: number;
  /** The path of a znode that is there for as long as the session. */
  mark: string | undefined;
  /** Stops all watches that live. */
  readonly stops: Set<() => void>;
}

interface Asked {
  readonly call: UserCall;
  readonly path: string;
}

/** What came of a call; `value` where it was done. */
export interface Told<T> {
  readonly outcome: UserOutcome;
  readonly value?: T;
}

/** A call that does not wait for a connection waits for its answer. */
const ANSWER_MS = 10_000;
const TIMEOUTS_MS = [0, 300, 2_000, 10_000, 10_000];
/** A call that found another state than it wanted; or no connection, and nothing was written. */
const REFUSED = ['ZK_BAD_VERSION', 'ZK_NO_NODE', 'ZK_NODE_EXISTS', 'ZK_UNAVAILABLE'];

/**
 * Sends a call, and writes down its outcome.
 *
 * @throws errors that no user should get
 */
export async function tell<T>(
  context: UserContext,
  { call, path }: Asked,
  random: Random,
  send: (timeoutMs: number) => Promise<T>,
): Promise<Told<T>> {
  const { process, ledger, changes } = context;
  const timeoutMs = random.pick(TIMEOUTS_MS);
  const attempt: Ledger['attempts'][number] = {
    ...{ process, call, path, timeoutMs: timeoutMs || ANSWER_MS },
    askedAt: machineTime(),
  };
  ledger.attempts.push(attempt);
  try {
    const value = await send(timeoutMs);
    attempt.outcome = 'done';
    const { version } = (value ?? {}) as { version?: number };
    if (version !== undefined) attempt.version = version;
    return { outcome: 'done', value };
  } catch (error) {
    attempt.outcome = outcomeOf(error);
    return { outcome: attempt.outcome };
  } finally {
    attempt.answeredAt = machineTime();
    attempt.wasCut = context.changes !== changes;
    ledger.onAnswer(attempt);
  }
}

function outcomeOf(error: unknown): UserOutcome {
  const { code = '', outcome } = error as { code?: string; outcome?: string };
  if (outcome === 'ambiguous') return 'maybe';
  if (REFUSED.includes(code)) return 'refused';
  throw error;
}

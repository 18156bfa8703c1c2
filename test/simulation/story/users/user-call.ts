import type { ZkClient } from 'zk-locks';
import { type Journal, machineTime } from '../../../workers/soak/journal.js';
import type { Random } from '../../../workers/soak/random.js';
import type { Ledger, UserCall, UserOutcome } from './ledger.js';

/** What the users of a process have in common. */
export interface UserContext {
  /** The name of the process. */
  readonly process: string;
  readonly client: ZkClient;
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly random: Random;
  readonly directories: readonly string[];
  /** How often the state of the session has changed. */
  changes: number;
  /** The path of an ephemeral znode of the present session. */
  mark: string | undefined;
  /** Functions that stop the active watches. */
  readonly stops: Set<() => void>;
}

interface Asked {
  readonly call: UserCall;
  readonly path: string;
}

/** The result of a call, with its `value` if it succeeded. */
export interface Told<T> {
  readonly outcome: UserOutcome;
  readonly value?: T;
}

/** How long a call waits for its answer if it does not wait for a connection. */
const ANSWER_MS = 10_000;
const TIMEOUTS_MS = [0, 300, 2_000, 10_000, 10_000];
/** Nothing was written: the znode was in another state, or there was no connection. */
const REFUSED = ['ZK_BAD_VERSION', 'ZK_NO_NODE', 'ZK_NODE_EXISTS', 'ZK_UNAVAILABLE'];

/**
 * Sends a call and records its outcome.
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

import { type Locks, LockTimeoutError } from 'zk-locks';
import { Signals } from '../child/signals.js';
import { withLocks } from '../connection.js';
import { signalExitCode } from '../exit-codes.js';
import { explain } from '../explain.js';
import { warn } from '../output/say.js';
import type { Call } from '../verb.js';
import { withHolders } from './with-holders.js';
import { showProgress } from './progress.js';
import { type Held, take, type Wanted } from './take.js';
import { conflictExitCode, readWanted } from './take-flags.js';

/** The work of a verb while its lock or permit is held. */
export type WorkWhileHeld = (locks: Locks, held: Held, signals: Signals) => Promise<number>;

/**
 * Waits for the lock or permit of a call, does `work`, and releases it. A signal ends the wait, and
 * `work` is then not started.
 *
 * @param marginMs how long before the lease deadline `held.signal` aborts
 * @returns the exit code
 */
export async function whileHeld(
  { flags, operands }: Call,
  work: WorkWhileHeld,
  marginMs = 0,
): Promise<number> {
  const wanted = readWanted(operands[0] ?? '', flags);
  const busyCode = conflictExitCode(flags);
  using signals = new Signals();
  const { interrupted } = signals;
  try {
    return await withLocks(
      flags,
      async (locks) => {
        const held = await waitFor(locks, wanted, interrupted);
        try {
          // The signal arrived together with the grant.
          if (signals.first) return signalExitCode(signals.first);
          return await work(locks, held, signals);
        } finally {
          await held.release();
        }
      },
      { interrupted, marginMs },
    );
  } catch (error) {
    if (signals.first) return signalExitCode(signals.first);
    if (!(error instanceof LockTimeoutError)) throw error;
    warn(explain(error).message);
    return busyCode;
  }
}

async function waitFor(locks: Locks, wanted: Wanted, interrupted: AbortSignal): Promise<Held> {
  using _ = showProgress(locks, wanted);
  try {
    return await take(locks, wanted, interrupted);
  } catch (error) {
    const isSingleTry = wanted.timeoutMs === 0 && error instanceof LockTimeoutError;
    throw isSingleTry ? await withHolders(locks, wanted, error) : error;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type LockHolder, type Locks, LockTimeoutError } from 'zk-locks';
import type { Wanted } from './take.js';

/** The longest look for holders, in ms: a busy lock is reported even if ZooKeeper no longer answers. */
const LOOK_MS = 1_000;

/** Adds the holders to the error of a single try, which does not look for them itself. */
export async function withHolders(
  locks: Locks,
  wanted: Wanted,
  { key, mode, timeoutMs, cause }: LockTimeoutError,
): Promise<LockTimeoutError> {
  const looking = holdersOf(locks, wanted).catch(() => []);
  const holders = await Promise.race([looking, sleep(LOOK_MS, [], { ref: false })]);
  return new LockTimeoutError(key, mode, timeoutMs, { holders, cause });
}

const MOST_NAMED = 10;

async function holdersOf(locks: Locks, { key, permits }: Wanted): Promise<readonly LockHolder[]> {
  const options = { limit: MOST_NAMED };
  const { holders } =
    permits === undefined
      ? await locks.inspect(key, options)
      : await locks.semaphore(key, { permits, pattern: 'zk-lock' }).inspect(options);
  return holders.map(({ node, queuedAt: since, holder }) => ({ node, since, holder }));
}

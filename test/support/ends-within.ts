import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** The number of turns in which a process handles what arrived while it was blocked. */
const TURNS = 5;

/**
 * Whether `work` ends in time, as measured by this process's timers. A busy machine delays these as
 * well, so the time can be short.
 */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const limit = async (): Promise<boolean> => {
    await sleep(ms, undefined, { signal: over.signal });
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    return false;
  };
  const ended = work.then(
    () => true,
    () => true,
  );
  const isInTime = await Promise.race([ended, limit().catch(() => false)]);
  over.abort();
  return isInTime;
}

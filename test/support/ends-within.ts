import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** In which what a process was told while it stood still is read, and acted upon. */
const TURNS = 5;

/**
 * Whether this ends within the time by the timers of this process: what holds up a busy machine delays them,
 * too, so that a time can be short.
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

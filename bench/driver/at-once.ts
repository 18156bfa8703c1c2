import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Locksmith, Release } from './locksmith.js';
import { byMonotonicClock } from './monotonic.js';
import type { KeyMemory, PermitCost, Served } from './protocol.js';

/** The number of keys that are locked at the same time. */
const KEYS_AT_ONCE = 500;

/** Locked before anything is measured. */
const WARM_UP_KEYS = 500;

/** After this time, no requests are under way. */
const QUIET_MS = 1_000;

/** Sends this many requests at once. Each lock is released as soon as it is granted. */
export async function serveEach(
  locksmith: Locksmith,
  { waiters, key, seconds }: { waiters: number; key: string; seconds: number },
): Promise<Served> {
  const grants: number[] = [];
  const served = Array.from({ length: waiters }, () =>
    locksmith.take(key, 'write').then((release) => {
      grants.push(performance.now());
      return release();
    }),
  );
  const over = new AbortController();
  const limit = sleep(seconds * 1_000, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.all(served), limit]);
  over.abort();
  return { grants: byMonotonicClock(grants) };
}

/** @param heap bytes on the heap, after a collection */
export async function measureKeys(
  locksmith: Locksmith,
  { keys, name }: { keys: number; name: string },
  heap: () => Promise<number>,
): Promise<KeyMemory> {
  const take = async (count: number, prefix: string): Promise<Release[]> => {
    const held: Release[] = [];
    for (let first = 0; first < count; first += KEYS_AT_ONCE) {
      const some = Array.from({ length: Math.min(KEYS_AT_ONCE, count - first) }, (_, index) =>
        locksmith.take(`${prefix}-${first + index}`, 'write'),
      );
      held.push(...(await Promise.all(some)));
    }
    return held;
  };
  const giveBack = async (held: readonly Release[]): Promise<void> => {
    await Promise.all(held.map((release) => release()));
    await nextTurn();
  };
  await giveBack(await take(WARM_UP_KEYS, `${name}w`));
  const before = await heap();
  const held = await take(keys, name);
  // Requests that follow a grant have been answered by then.
  await sleep(QUIET_MS);
  const during = await heap();
  await giveBack(held.splice(0));
  const after = await heap();
  return { held: (during - before) / keys, released: (after - before) / keys };
}

/** @throws {Error} if this library has no permits */
export async function measurePermits(
  locksmith: Locksmith,
  { permits, name }: { permits: number; name: string },
): Promise<PermitCost> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const taken = await Promise.all(
    Array.from({ length: permits }, () => {
      const taking = locksmith.takePermit?.(name, permits);
      if (!taking) throw new Error('this library has no permits');
      return taking;
    }),
  );
  await Promise.all(taken.map((release) => release()));
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, ms: performance.now() - startedAt };
}

import { getEventListeners } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import type { LockCounts } from 'nestjs-zk-lock';

/** Counts of what is alive in the process after garbage collection. */
export interface Gauge {
  /** `heapUsed` and `external` of `process.memoryUsage()`, in bytes. */
  readonly heap: number;
  readonly rss: number;
  /** JavaScript objects, including closures. */
  readonly objects: number;
  /** Timers, sockets and the like that keep the process alive, without immediates, which end in the next turn. */
  readonly resources: number;
  /**
   * Open files and sockets, except `/dev/null`, which the library opens at some lost connections.
   */
  readonly descriptors: number;
  /** Listeners on the signals that live as long as the run. */
  readonly listeners: number;
  readonly held: number;
  readonly waiting: number;
}

/** Finalizers and weak references: each garbage collection may allow the next one to free more. */
const COLLECTIONS = 4;

/** @param longLived signals that live as long as the run */
export async function measure(
  counts: () => LockCounts,
  longLived: readonly AbortSignal[],
): Promise<Gauge> {
  const collect = globalThis.gc;
  if (!collect) throw new Error('the worker needs node --expose-gc');
  for (let round = 0; round < COLLECTIONS; round++) {
    collect();
    await nextTurn();
  }
  const objects = queryObjects(Object, { format: 'count' });
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heap: heapUsed + external,
    rss,
    objects,
    resources: process.getActiveResourcesInfo().filter((type) => type !== 'Immediate').length,
    descriptors: openDescriptors().filter((target) => target !== '/dev/null').length,
    listeners: longLived.reduce((sum, one) => sum + getEventListeners(one, 'abort').length, 0),
    ...counts(),
  };
}

/** The targets of open descriptors, except the one that reads this list. */
function openDescriptors(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}

import { getEventListeners } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import type { LockCounts } from 'nestjs-zk-lock';

/** What is alive in the process, after garbage collection. */
export interface Gauge {
  /** `heapUsed` and `external` of `process.memoryUsage()`, in bytes. */
  readonly heap: number;
  readonly rss: number;
  /** JavaScript objects, closures among them. */
  readonly objects: number;
  /** Timers, sockets and the like that keep the process alive, but for immediates: the next turn ends them. */
  readonly resources: number;
  /** Open files and sockets, but for `/dev/null`: the library parks those on numbers of lost connections. */
  readonly descriptors: number;
  /** On the signals that live as long as the run. */
  readonly listeners: number;
  readonly held: number;
  readonly waiting: number;
}

/** What garbage collection frees may let go of more: finalizers, and what weak references led to. */
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

/** What they lead to; the one that reads this list is gone again. */
function openDescriptors(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}

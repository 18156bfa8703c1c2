import { getEventListeners } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import type { LockCounts } from 'nestjs-zk-lock';
import type { Gauge } from './protocol.js';

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
    resources: process.getActiveResourcesInfo().length,
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

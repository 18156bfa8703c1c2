import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../support/wait-for.js';
import type { Violation } from '../history/history.js';
import type { SoakProcess } from './soak-process.js';
import { isLockNode } from './lock-node.js';
import { ROOT, type Stage } from './stage.js';

/**
 * Lets all tasks end, and looks for remains while the sessions still live. No call may wait, no
 * lock may be held, and the servers must have no lock nodes and no watches.
 *
 * @param withinMs the limit for everything, counted from the last fault
 */
export async function settle(stage: Stage, withinMs: number): Promise<Violation[]> {
  const deadline = performance.now() + withinMs;
  const served = await Promise.all(stage.replicas.map(({ process }) => rest(process, withinMs)));
  const unserved = served.flat();
  // Each waiting call has a node and a watch, so a search for these would report the same again.
  if (unserved.length > 0) return [...unserved, await queues(stage)];
  const leftMs = Math.max(0, deadline - performance.now());
  return [
    ...(await emptied('lock nodes', leftMs, () => stage.onlooker.nodes(ROOT, isLockNode))),
    ...(await emptied('watches', leftMs, async () => {
      const watches = await stage.onlooker.watches();
      return watches === 0 ? [] : [String(watches)];
    })),
  ];
}

/** Describes the queues, to show which nodes are waited for. */
async function queues(stage: Stage): Promise<Violation> {
  const nodes = await stage.onlooker.nodes(ROOT, isLockNode);
  const message = `the queues are ${nodes.join(',\n')}`;
  return { promise: 'liveness', message };
}

async function rest(process: SoakProcess, withinMs: number): Promise<Violation[]> {
  const impatience = new AbortController();
  const idle = await Promise.race([
    process.pause(),
    sleep(withinMs, undefined, { signal: impatience.signal }),
  ]);
  impatience.abort();
  if (!idle) {
    const message = `${process.name} has tasks that were not served within ${withinMs} ms after the last fault`;
    return [{ promise: 'liveness', message }];
  }
  const { held, waiting } = idle;
  if (held + waiting === 0) return [];
  const message = `${process.name} counts ${held} held and ${waiting} waiting, with all tasks done`;
  return [{ promise: 'nothing left', message }];
}

/** Asks repeatedly until nothing is left. */
async function emptied(
  what: string,
  withinMs: number,
  look: () => Promise<readonly string[]>,
): Promise<Violation[]> {
  let seen: readonly string[] = [];
  const isEmpty = async (): Promise<boolean> => {
    seen = await look();
    return seen.length === 0;
  };
  try {
    await waitFor(isEmpty, { what, timeoutMs: withinMs, intervalMs: 50 });
    return [];
  } catch {
    const message = `the servers still had ${what} ${withinMs.toFixed(0)} ms later: ${seen.join(', ')}`;
    return [{ promise: 'nothing left', message }];
  }
}

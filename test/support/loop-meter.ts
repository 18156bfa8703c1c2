import { readFileSync } from 'node:fs';

/**
 * The CPU time that this thread has used, in milliseconds: while other processes have the CPU, it stands
 * still, so that it means the same on a busy machine.
 */
export function threadCpuMs(): number {
  const [nanoseconds = ''] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
  return Number(nanoseconds) / 1_000_000;
}

/** Measures for how long the event loop of this thread stands still, by the CPU time of one turn. */
export class LoopMeter implements Disposable {
  longestMs = 0;
  #last = threadCpuMs();
  readonly #timer = setInterval(() => this.#tick(), 1);

  [Symbol.dispose](): void {
    this.#tick();
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = threadCpuMs();
    this.longestMs = Math.max(this.longestMs, now - this.#last);
    this.#last = now;
  }
}

/**
 * The longest turn of the event loop while this goes on, in milliseconds of CPU time. It is measured
 * again while it is not below `limitMs`, five times at most, and the least counts: what a hypervisor
 * takes from this thread is in its CPU time, so that a measurement may be too long, but never too short.
 *
 * @param work costs the same each time
 */
export async function longestTurnOf(
  work: () => Promise<unknown>,
  limitMs: number,
): Promise<number> {
  return leastOf(limitMs, async () => {
    // What came before is not counted.
    await new Promise((resolve) => setTimeout(resolve, 1));
    using meter = new LoopMeter();
    await work();
    await new Promise((resolve) => setImmediate(resolve));
    meter[Symbol.dispose]();
    return meter.longestMs;
  });
}

const MOST_MEASUREMENTS = 5;

/** The least of up to five measurements, or the first one below the limit. */
export async function leastOf(limit: number, measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let count = 0; count < MOST_MEASUREMENTS && least >= limit; count++) {
    least = Math.min(least, await measure());
  }
  return least;
}

const REFERENCE = JSON.stringify(
  Array.from({ length: 5_000 }, (_, pid) => ({ host: 'h', pid, since: 'x', holds: [`k/${pid}`] })),
);
const REFERENCE_TIMES = 25;
/** What the reference takes on the machine for which limits of CPU time are meant. */
const REFERENCE_MS = 50;

/** A limit of CPU time on the machine for which limits are meant: more on a slower one, but never less. */
export function onThisMachine(ms: number): number {
  const measured = Array.from({ length: 5 }, () => {
    const before = threadCpuMs();
    for (let time = 0; time < REFERENCE_TIMES; time++) JSON.parse(REFERENCE);
    return threadCpuMs() - before;
  });
  const median = measured.sort((a, b) => a - b)[2]!;
  return ms * Math.max(1, median / REFERENCE_MS);
}

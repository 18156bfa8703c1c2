import { readFileSync } from 'node:fs';

/**
 * The CPU time of this thread, in milliseconds. It does not grow while other processes use the CPU,
 * so its meaning does not depend on the load of the machine.
 */
export function threadCpuMs(): number {
  const [nanoseconds = ''] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
  return Number(nanoseconds) / 1_000_000;
}

/** Measures how long single turns of this thread's event loop take, in CPU time. */
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
 * The longest turn of the event loop during `work`, in milliseconds of CPU time. Measures up to
 * five times until the result is below `limitMs`, and returns the least. CPU time includes time
 * that a hypervisor takes, so a measurement may be too long, but never too short.
 *
 * @param work takes the same time on each call
 */
export async function longestTurnOf(
  work: () => Promise<unknown>,
  limitMs: number,
): Promise<number> {
  return leastOf(limitMs, async () => {
    // Ends the current turn, so that earlier work is not counted.
    await new Promise((resolve) => setTimeout(resolve, 1));
    using meter = new LoopMeter();
    await work();
    await new Promise((resolve) => setImmediate(resolve));
    meter[Symbol.dispose]();
    return meter.longestMs;
  });
}

const MOST_MEASUREMENTS = 5;

/** The least of up to five measurements; stops at the first one below the limit. */
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
/**
 * The CPU time that the reference computation takes on the machine for which limits are specified.
 */
const REFERENCE_MS = 50;

/** Converts a limit of CPU time for this machine: raised on a slower machine, but never lowered. */
export function onThisMachine(ms: number): number {
  const measured = Array.from({ length: 5 }, () => {
    const before = threadCpuMs();
    for (let time = 0; time < REFERENCE_TIMES; time++) JSON.parse(REFERENCE);
    return threadCpuMs() - before;
  });
  const median = measured.sort((a, b) => a - b)[2]!;
  return ms * Math.max(1, median / REFERENCE_MS);
}

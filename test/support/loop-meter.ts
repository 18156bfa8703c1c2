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

/** The longest turn of the event loop while this goes on, in milliseconds of CPU time. */
export async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  // What came before is not counted.
  await new Promise((resolve) => setTimeout(resolve, 1));
  using meter = new LoopMeter();
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  meter[Symbol.dispose]();
  return meter.longestMs;
}

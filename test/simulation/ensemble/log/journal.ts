import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedTimer } from '../../world/timers.js';
import type { Entry } from './entry.js';
import type { Log } from './log.js';

/** Something that usually takes no time, and sometimes does. */
export interface Delay {
  readonly percent: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

export const NO_DELAY: Delay = { percent: 0, leastMs: 0, mostMs: 0 };

export function drawMs({ random }: SimulatedProcess, delay: Delay): number {
  if (delay.percent === 0 || !random.chance(delay.percent)) return 0;
  return random.between(delay.leastMs, delay.mostMs);
}

/** Writes entries to the disk. What is handed over while it writes goes with the same write. */
export class Journal {
  #writing: SimulatedTimer | undefined;

  constructor(
    private readonly process: SimulatedProcess,
    private readonly log: Log,
    private readonly delay: Delay,
    private readonly onSafe: (zxid: number) => void,
  ) {}

  write(entry: Entry): void {
    this.log.append(entry);
    if (this.#writing) return;
    const ms = drawMs(this.process, this.delay);
    if (ms === 0) return this.#finish();
    this.#writing = this.process.addTimer(() => this.#finish(), ms);
  }

  stop(): void {
    this.#writing?.close();
  }

  #finish(): void {
    this.#writing = undefined;
    for (const { zxid } of this.log.secure()) this.onSafe(zxid);
  }
}

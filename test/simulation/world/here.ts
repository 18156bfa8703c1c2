import { Random } from '../../workers/soak/random.js';
import type { SimulatedProcess } from './simulated-process.js';

/** What stands for the process that asks, where something else than a process runs its code. */
export type Place = Pick<SimulatedProcess, 'monotonic' | 'wall'> & {
  readonly name: string;
  readonly random: SimulatedProcess['random'];
};

let current: SimulatedProcess | undefined;
/** The libraries look at clocks while they are loaded. */
let place: Place | undefined = {
  name: 'loading',
  random: new Random(1),
  monotonic: () => 0,
  wall: () => 0,
};

/** All that is to be simulated has been loaded. */
export function begun(): void {
  place = undefined;
}

/** The process whose turn it is. */
export function here(door: string): SimulatedProcess {
  if (!current) throw new Error(`${door} was used outside of a simulated process`);
  return current;
}

/** Whose clocks and chance are seen. */
export function hereForValues(door: string): Place {
  return place ?? here(door);
}

export function enter(process: SimulatedProcess): void {
  current = process;
}

export function leave(): void {
  current = undefined;
}

/** Runs something with clocks and chance that are not those of a process. */
export function withValues<T>(values: Place, run: () => T): T {
  const outer = place;
  place = values;
  try {
    return run();
  } finally {
    place = outer;
  }
}

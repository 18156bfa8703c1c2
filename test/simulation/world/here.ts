import { Random } from '../../workers/soak/random.js';
import type { SimulatedProcess } from './simulated-process.js';

/** Replaces the clocks and randomness of a process where other code than a process runs. */
export type Place = Pick<SimulatedProcess, 'monotonic' | 'wall'> & {
  readonly name: string;
  readonly random: SimulatedProcess['random'];
};

let current: SimulatedProcess | undefined;
/** The libraries read clocks while they are loaded. */
let place: Place | undefined = {
  name: 'loading',
  random: new Random(1),
  monotonic: () => 0,
  wall: () => 0,
};

/** Call this after the simulated modules have been loaded. */
export function begun(): void {
  place = undefined;
}

export function here(door: string): SimulatedProcess {
  if (!current) throw new Error(`${door} was used outside of a simulated process`);
  return current;
}

/** The source of clocks and randomness for the code that is running. */
export function hereForValues(door: string): Place {
  return place ?? here(door);
}

interface ModuleState {
  readonly shared: object;
  readonly fresh: () => object;
  readonly byProcess: WeakMap<SimulatedProcess, object>;
}

const moduleStates: ModuleState[] = [];

/**
 * Gives each process its own copy of a module's state, because modules are loaded once for all
 * processes.
 *
 * @param shared the module's state, whose properties are swapped at each change of process
 * @param fresh creates the state of a process that has just loaded the module
 */
export function splitByProcess<T extends object>(shared: T, fresh: () => T): void {
  moduleStates.push({ shared, fresh, byProcess: new WeakMap() });
}

export function enter(process: SimulatedProcess): void {
  current = process;
  for (const { shared, fresh, byProcess } of moduleStates) {
    Object.assign(shared, byProcess.get(process) ?? fresh());
  }
}

export function leave(): void {
  for (const { shared, byProcess } of moduleStates) {
    if (current) byProcess.set(current, { ...shared });
  }
  current = undefined;
}

/** Runs a function with other clocks and randomness than those of a process. */
export function withValues<T>(values: Place, run: () => T): T {
  const outer = place;
  place = values;
  try {
    return run();
  } finally {
    place = outer;
  }
}

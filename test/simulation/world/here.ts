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

interface ModuleState {
  readonly shared: object;
  readonly fresh: () => object;
  readonly byProcess: WeakMap<SimulatedProcess, object>;
}

const moduleStates: ModuleState[] = [];

/**
 * The modules are loaded once, for all processes: gives each process a state of its own.
 *
 * @param shared the state in the module, whose properties are exchanged
 * @param fresh that of a process which has just loaded the module
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

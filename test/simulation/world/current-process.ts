import { Random } from '../../workers/soak/random.js';
import type { SimulatedProcess } from './simulated-process.js';

/** The clocks and randomness that code sees. It has its own when no process runs it. */
export type Environment = Pick<SimulatedProcess, 'monotonic' | 'wall'> & {
  readonly name: string;
  readonly random: SimulatedProcess['random'];
};

let current: SimulatedProcess | undefined;
/** The libraries read clocks while they are loaded. */
let environment: Environment | undefined = {
  name: 'loading',
  random: new Random(1),
  monotonic: () => 0,
  wall: () => 0,
};

/** Call this after the simulated modules have been loaded. */
export function finishLoading(): void {
  environment = undefined;
}

export function currentProcess(builtin: string): SimulatedProcess {
  if (!current) throw new Error(`${builtin} was used outside of a simulated process`);
  return current;
}

/** The source of clocks and randomness for the code that is running. */
export function currentEnvironment(builtin: string): Environment {
  return environment ?? currentProcess(builtin);
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
export function withEnvironment<T>(inner: Environment, run: () => T): T {
  const outer = environment;
  environment = inner;
  try {
    return run();
  } finally {
    environment = outer;
  }
}

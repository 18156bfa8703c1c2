import diagnostics from 'node:diagnostics_channel';
import { currentProcess } from './current-process.js';
import type { SimulatedProcess } from './simulated-process.js';

type Listener = (message: unknown, name: string | symbol) => void;

const listeners = new WeakMap<SimulatedProcess, Map<Listener, string | symbol>>();
const real = { subscribe: diagnostics.subscribe, unsubscribe: diagnostics.unsubscribe };

/** The number of diagnostics-channel listeners that a process has. */
export function countListeners(process: SimulatedProcess): number {
  return listeners.get(process)?.size ?? 0;
}

/** Keeps the listeners of each process apart, and removes them when it exits. */
export function closeChannels(): void {
  Object.assign(diagnostics, {
    subscribe: (name: string | symbol, listener: Listener) => {
      const process = currentProcess('diagnostics_channel');
      let own = listeners.get(process);
      if (!own) {
        listeners.set(process, (own = new Map<Listener, string | symbol>()));
        const all = own;
        process.onExit(() => {
          for (const [one, channel] of all) real.unsubscribe(channel, one);
        });
      }
      own.set(listener, name);
      real.subscribe(name, listener);
    },
    unsubscribe: (name: string | symbol, listener: Listener) => {
      listeners.get(currentProcess('diagnostics_channel'))?.delete(listener);
      return real.unsubscribe(name, listener);
    },
  });
}

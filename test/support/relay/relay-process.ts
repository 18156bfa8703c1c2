/** The program of the relays' process, which tests call from theirs. */
import { serve } from '../../workers/serve.js';
import { Relay } from './relay.js';

/** The commands of the process. */
export interface RelayCommands {
  /** @param isBlind see {@link Relay} */
  open(port: number, targetPort: number, isBlind: boolean): void;
  /** Calls a method of the relay that listens on `port`. */
  call(port: number, method: string, ...args: readonly unknown[]): unknown;
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

const relays = new Map<number, Relay>();

serve<RelayCommands>(
  {
    open: (port, ...target) => void relays.set(port, new Relay(port, ...target)),
    call: (port, method, ...args) => (relays.get(port) as unknown as Methods)[method]?.(...args),
  },
  () => process.exit(),
);

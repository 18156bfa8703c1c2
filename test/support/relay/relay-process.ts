/** The program of the proxies' process: relays, called from the process of the test. */
import { serve } from '../../workers/serve.js';
import { TcpRelay } from './tcp-relay.js';
import { ZooKeeperRelay } from './zookeeper-relay.js';

export interface RelayAddress {
  readonly port: number;
  readonly targetPort: number;
  /** Whether the bytes are ZooKeeper's client protocol, so that they can be decoded. */
  readonly readsAlong: boolean;
}

/** The commands of the process. */
export interface RelayCommands {
  open(address: RelayAddress): void;
  /** Calls a method of the relay that listens on `port`. */
  call(port: number, method: string, ...args: readonly unknown[]): unknown;
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

const relays = new Map<number, TcpRelay>();

/**
 * A new leader begins to listen for its followers only after its election. Followers that come too
 * early and are refused try again, but those that are accepted and reset begin a new election.
 */
const QUORUM_PATIENCE_MS = 2_000;

function open({ port, targetPort, readsAlong }: RelayAddress): void {
  const relay = readsAlong
    ? new ZooKeeperRelay(port, targetPort)
    : new TcpRelay(port, targetPort, QUORUM_PATIENCE_MS);
  relays.set(port, relay);
}

serve<RelayCommands>(
  {
    open,
    call: (port, method, ...args) => (relays.get(port) as unknown as Methods)[method]?.(...args),
  },
  () => process.exit(),
);

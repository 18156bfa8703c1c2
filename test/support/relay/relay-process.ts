/** What runs in the proxies' process: relays, called from the process of the test. */
import { serve } from '../../workers/serve.js';
import { TcpRelay } from './tcp-relay.js';
import { ZooKeeperRelay } from './zookeeper-relay.js';

export interface RelayAddress {
  readonly port: number;
  readonly targetPort: number;
  /** Whether what passes is ZooKeeper's client protocol, so that it can be read. */
  readonly readsAlong: boolean;
}

/** What the process can be told. */
export interface RelayCommands {
  open(address: RelayAddress): void;
  /** Calls a method of the relay that listens on `port`. */
  call(port: number, method: string, ...args: readonly unknown[]): unknown;
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

const relays = new Map<number, TcpRelay>();

/**
 * A member that is elected begins to listen for its followers only then; those that come too early
 * and are refused try again, but those that are let in and reset begin a new election.
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

/** What runs in the proxies' process: relays, called by messages from the process of the test. */
import { TcpRelay } from './tcp-relay.js';
import { ZooKeeperRelay } from './zookeeper-relay.js';

export interface RelayAddress {
  readonly port: number;
  readonly targetPort: number;
  /** Whether what passes is ZooKeeper's client protocol, so that it can be read. */
  readonly readsAlong: boolean;
}

export interface RelayCall {
  readonly id: number;
  /** Of the relay that is meant: the port it listens on. */
  readonly port: number;
  /** `open` makes the relay; its argument is a {@link RelayAddress}. */
  readonly method: string;
  readonly args: readonly unknown[];
}

export type RelayAnswer = { readonly id: number } & (
  { readonly value: unknown } | { readonly error: unknown }
);

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

process.on('message', (call: RelayCall) => {
  // Whoever asked may be gone.
  void answer(call).then((result) => process.send?.(result, () => undefined));
});

process.on('disconnect', () => process.exit());

async function answer({ id, port, method, args }: RelayCall): Promise<RelayAnswer> {
  try {
    if (method === 'open') {
      open(args[0] as RelayAddress);
      return { id, value: undefined };
    }
    const relay = relays.get(port) as unknown as Methods;
    return { id, value: await relay[method]?.(...args) };
  } catch (error) {
    return { id, error };
  }
}

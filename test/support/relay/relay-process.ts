/** What runs in the proxy's process: one relay, called by messages from the process of the test. */
import { TcpRelay } from './tcp-relay.js';
import { ZooKeeperRelay } from './zookeeper-relay.js';

export interface RelayCall {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type RelayAnswer = { readonly id: number } & (
  { readonly value: unknown } | { readonly error: unknown }
);

const [port, targetPort] = process.argv.slice(1, 3).map(Number) as [number, number];
/** Whether what passes is ZooKeeper's client protocol, so that it can be read. */
const readsAlong = process.argv[3] === 'read-along';
const relay = new (readsAlong ? ZooKeeperRelay : TcpRelay)(port, targetPort);

const methods = relay as unknown as Record<string, (...args: readonly unknown[]) => unknown>;

process.on('message', (call: RelayCall) => {
  void answer(call).then((result) => process.send?.(result));
});

process.on('disconnect', () => process.exit());

async function answer({ id, method, args }: RelayCall): Promise<RelayAnswer> {
  try {
    return { id, value: await methods[method]?.(...args) };
  } catch (error) {
    return { id, error };
  }
}

import type { TlsOptions } from 'zk-client';
import { NativeConnector } from 'zk-client/native';
import { WireConnector, type ZooKeeperConnector } from 'zk-client/recipes';

/** The ZooKeeper clients: `wire` is zk-client, `native` is npm `zookeeper`. */
export const CLIENT_NAMES = ['wire', 'native'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export const DEFAULT_CLIENT = 'wire' satisfies ClientName;

/** Decides where no option does: operators can change the client without a new release. */
export const CLIENT_VARIABLE = 'ZK_LOCKS_CLIENT';

/** What the variable says; one that is set to nothing is not set. */
export function clientFromEnvironment(): string | undefined {
  const value = process.env[CLIENT_VARIABLE];
  return value === '' ? undefined : value;
}

/** @param tls for `wire` alone; the other client has none */
export function connectorFor(client: ClientName, tls?: TlsOptions): ZooKeeperConnector {
  return client === 'wire' ? new WireConnector(tls) : new NativeConnector();
}

import type { TlsOptions } from 'zk-client';
import { NativeConnector } from 'zk-client/native';
import { WireConnector, type ZooKeeperConnector } from 'zk-client/recipes';

/** The ZooKeeper clients: `wire` is zk-client, `native` is npm `zookeeper`. */
export const CLIENT_NAMES = ['wire', 'native'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export const DEFAULT_CLIENT = 'wire' satisfies ClientName;

/** Selects the client if no option does, so that operators can change it without a new release. */
export const CLIENT_VARIABLE = 'ZK_LOCKS_CLIENT';

/** The variable's value; undefined if it is unset or empty. */
export function clientFromEnvironment(): string | undefined {
  const value = process.env[CLIENT_VARIABLE];
  return value === '' ? undefined : value;
}

/** @param tls for `wire` only; the other client has no TLS */
export function connectorFor(client: ClientName, tls?: TlsOptions): ZooKeeperConnector {
  return client === 'wire' ? new WireConnector(tls) : new NativeConnector();
}

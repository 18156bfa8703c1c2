import { createSecureContext } from 'node:tls';
import type { TlsOptions } from 'zk-client';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { NativeConnector } from './native/native-connector.js';
import { WireConnector } from './wire/wire-connector.js';
import type { ZooKeeperConnector } from './zookeeper-client.js';

/** The libraries that can speak to ZooKeeper: `zk-client`, and npm `zookeeper`. */
export const CLIENT_NAMES = ['wire', 'native'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export const DEFAULT_CLIENT = 'wire' satisfies ClientName;

/** Decides where no option does: operators can change the client without a new release. */
export const CLIENT_VARIABLE = 'NESTJS_ZK_LOCK_CLIENT';

/** What the variable says; one that is set to nothing is not set. */
export function clientFromEnvironment(): string | undefined {
  const value = process.env[CLIENT_VARIABLE];
  return value === '' ? undefined : value;
}

export interface ClientNeeds {
  /** By TLS, with these options. */
  readonly tls?: TlsOptions | undefined;
  readonly needsSasl?: boolean;
  /** Whether the environment variable chose the client. */
  readonly isFromEnvironment?: boolean;
}

/** @throws {ZkLockConfigError} where the client that was asked for cannot do that */
export function connectorFor(
  client: ClientName,
  { tls, needsSasl = false, isFromEnvironment = false }: ClientNeeds = {},
): ZooKeeperConnector {
  const remedy = isFromEnvironment
    ? `Unset the environment variable ${CLIENT_VARIABLE}, which says 'native'`
    : "Use `client: 'wire'`, or none";
  if (client === 'wire') return new WireConnector(tls && withContext(tls));
  if (tls) {
    throw new ZkLockConfigError(
      'tls',
      'is not possible with the npm package `zookeeper`',
      `${remedy}; or connect to a stunnel on 127.0.0.1: docs/security.md of nestjs-zk-lock has its configuration.`,
    );
  }
  if (needsSasl) {
    throw new ZkLockConfigError(
      'credentials',
      'name the scheme SASL, which the npm package `zookeeper` does not have',
      `${remedy}; or use the scheme 'digest'.`,
    );
  }
  return new NativeConnector();
}

/** Reads certificates and keys once, so that malformed ones are refused before anything is started. */
function withContext(tls: TlsOptions): TlsOptions {
  try {
    return { ...tls, secureContext: tls.secureContext ?? createSecureContext(tls) };
  } catch (error) {
    const problem = `has certificates or keys that cannot be read (${(error as Error).message})`;
    const remedy = 'Give `ca`, `cert` and `key` in PEM, as text or as buffers.';
    throw new ZkLockConfigError('tls', problem, remedy, { cause: error });
  }
}

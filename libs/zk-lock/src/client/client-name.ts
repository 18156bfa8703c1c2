import { createSecureContext } from 'node:tls';
import type { TlsOptions } from 'zk-client';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { DefaultConnector } from './default-connector.js';
import { NativeConnector } from './native/native-connector.js';
import { WireConnector } from './wire/wire-connector.js';
import type { ZooKeeperConnector } from './zookeeper-client.js';

/** The libraries that can speak to ZooKeeper: npm `zookeeper`, and `zk-client`. */
export const CLIENT_NAMES = ['native', 'wire'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** Decides where nobody has said it in the options: for operators, and without a new release. */
export const CLIENT_VARIABLE = 'NESTJS_ZK_LOCK_CLIENT';

export interface ClientNeeds {
  /** By TLS, with these options. */
  readonly tls?: TlsOptions | undefined;
  readonly needsSasl?: boolean;
  /** Whether the environment asked for the client, and no option. */
  readonly isFromEnvironment?: boolean;
}

/** @throws {ZkLockConfigError} where the client that was asked for cannot do that */
export function connectorFor(
  client: ClientName | undefined,
  { tls, needsSasl = false, isFromEnvironment = false }: ClientNeeds = {},
): ZooKeeperConnector {
  const remedy = isFromEnvironment
    ? `Unset the environment variable ${CLIENT_VARIABLE}, which says 'native'`
    : "Use `client: 'wire'`, or none";
  if (client === 'native' && tls) {
    throw new ZkLockConfigError(
      'tls',
      'the npm package `zookeeper` cannot do TLS',
      `${remedy}; or connect to a stunnel on 127.0.0.1: docs/security.md of nestjs-zk-lock has its configuration.`,
    );
  }
  if (client === 'native' && needsSasl) {
    throw new ZkLockConfigError(
      'credentials',
      'the npm package `zookeeper` cannot do SASL',
      `${remedy}; or use the scheme 'digest'.`,
    );
  }
  if (client === 'native') return new NativeConnector();
  if (client === 'wire' || tls || needsSasl) return new WireConnector(tls && withContext(tls));
  return new DefaultConnector();
}

/** Certificates and keys are read once, and found to be none before anything is started. */
function withContext(tls: TlsOptions): TlsOptions {
  try {
    return { ...tls, secureContext: tls.secureContext ?? createSecureContext(tls) };
  } catch (error) {
    const problem = `its certificates or keys cannot be read (${(error as Error).message})`;
    const remedy = 'Give `ca`, `cert` and `key` in PEM, as text or as buffers.';
    throw new ZkLockConfigError('tls', problem, remedy, { cause: error });
  }
}

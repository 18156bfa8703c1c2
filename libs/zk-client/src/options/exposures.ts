import { isIPv4 } from 'node:net';
import { type ConnectString, formatAddress } from '../port/connect-string.js';
import type { User, UserScheme } from '../port/user.js';

const RISKS: Readonly<Record<UserScheme, string>> = {
  digest: 'Anyone who can read that network learns the password',
  sasl: 'Anyone who controls that network can take over the connection, and can try to guess the password',
};

/**
 * The parts of a connection that are exposed to the network, one line for each: the risk, and what
 * to do.
 */
export function exposuresOf(
  { servers }: ConnectString,
  user: User | undefined,
  tls: { readonly rejectUnauthorized?: boolean | undefined } | undefined,
): readonly string[] {
  if (tls) return tls.rejectUnauthorized === false ? [UNVERIFIED] : [];
  const remote = servers.find(({ host }) => !isLoopback(host));
  if (!user || !remote) return [];
  return [
    `Credentials (${user.scheme}) are used without TLS at ${formatAddress(remote)}. ${RISKS[user.scheme]}. Set \`tls\`, or connect to a TLS proxy on 127.0.0.1: docs/security.md of nestjs-zk-lock.`,
  ];
}

const UNVERIFIED =
  'The certificates of the ZooKeeper servers are not verified (`tls.rejectUnauthorized` is false): any host between them and this client can pose as a server. Remove that option, and set `tls.ca` to the authority of the servers.';

/** By the name alone, without resolving it. */
function isLoopback(host: string): boolean {
  return (isIPv4(host) && host.startsWith('127.')) || host === '::1' || /^localhost$/i.test(host);
}

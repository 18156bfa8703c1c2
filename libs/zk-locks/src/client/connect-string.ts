import { isIPv6 } from 'node:net';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { checkPath } from './node-path.js';
import type { ServerAddress } from './zookeeper-client.js';

export interface ConnectString {
  readonly servers: readonly ServerAddress[];
  /** `''` or an absolute path without a trailing slash. */
  readonly chroot: string;
}

/** A scheme before the hosts, or before one of them; `ssl:2281` is a host of that name. */
const TLS_SCHEME = /(?:^|,)\s*(?:[\w+.-]+:\/\/|(?:zks|ssl|tls|secure):(?!\d+\s*(?:[,/]|$)))/i;
const TLS_NAME = /zks|ssl|tls|secure|https|wss/i;

/** In hosts: what the resolver of names would refuse, or cut the name off at. */
const REFUSED = /[\p{Control}\p{Surrogate}]/u;

const LONGEST_SHOWN = 80;

const EXAMPLE = 'Use "host:2181", "host1:2181,host2:2181" or "host:2181/chroot".';

/** How to ask for TLS instead of by `servers`. */
export const TLS_REMEDY =
  'Write `servers` as host:port, and set `tls: true`, or an object with `ca`, `cert` and `key` as for tls.connect() of Node.';

/**
 * Parses ZooKeeper's connect string: `host[:port],…[/chroot]`, port 2181 by default, IPv6 in brackets.
 *
 * @throws {ZkLockConfigError}
 */
export function parseConnectString(value: unknown): ConnectString {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new ZkLockConfigError('servers', 'is empty or not a string', EXAMPLE);
  }
  checkScheme(value);
  const slash = value.indexOf('/');
  const hosts = slash === -1 ? value : value.slice(0, slash);
  const chroot = slash === -1 ? '' : value.slice(slash).replace(/\/+$/, '');
  if (chroot !== '') {
    const problem = checkPath(chroot);
    if (problem)
      throw new ZkLockConfigError('servers', `has a malformed chroot: ${problem}`, EXAMPLE);
  }
  return { servers: hosts.split(',').map((part) => parseServer(part.trim())), chroot };
}

/** `host:port`, with IPv6 addresses in brackets. */
export function formatAddress({ host, port }: ServerAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

export function formatConnectString({ servers, chroot }: ConnectString): string {
  return servers.map(formatAddress).join(',') + chroot;
}

function checkScheme(value: string): void {
  const scheme = TLS_SCHEME.exec(value)?.[0] ?? '';
  if (TLS_NAME.test(scheme)) {
    throw new ZkLockConfigError('servers', 'asks for TLS', TLS_REMEDY);
  }
  if (value.includes('://')) throw new ZkLockConfigError('servers', 'is a URL', EXAMPLE);
  // Not repeated: what stands before an @ may be a password.
  if (value.includes('@')) {
    throw new ZkLockConfigError(
      'servers',
      'has an "@" in it',
      `Give a user and a password by \`credentials\`. ${EXAMPLE}`,
    );
  }
}

function parseServer(part: string): ServerAddress {
  const match = /^(?:\[([^\]]*)\]|([^:[\]@\s]+))(?::(\d+))?$/.exec(part);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? 2181);
  const shown = part.slice(0, LONGEST_SHOWN);
  if (!host || REFUSED.test(host) || (match?.[1] !== undefined && !isIPv6(host))) {
    throw new ZkLockConfigError('servers', `has "${shown}", which is not a host and port`, EXAMPLE);
  }
  if (port < 1 || port > 65535) {
    throw new ZkLockConfigError(
      'servers',
      `has a port in "${shown}" that is not in 1..65535`,
      EXAMPLE,
    );
  }
  return { host, port };
}

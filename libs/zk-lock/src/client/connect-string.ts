import { isIPv6 } from 'node:net';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { checkPath } from './node-path.js';
import type { ServerAddress } from './zookeeper-client.js';

export interface ConnectString {
  readonly servers: readonly ServerAddress[];
  /** `''` or an absolute path without a trailing slash. */
  readonly chroot: string;
}

const EXAMPLE = 'Use "host:2181", "host1:2181,host2:2181" or "host:2181/chroot".';

/**
 * Parses ZooKeeper's connect string: `host[:port],…[/chroot]`, port 2181 by default, IPv6 in brackets.
 *
 * @throws {ZkLockConfigError}
 */
export function parseConnectString(value: unknown): ConnectString {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new ZkLockConfigError('servers', 'it is empty or not a string', EXAMPLE);
  }
  if (value.includes('://')) throw new ZkLockConfigError('servers', 'it is a URL', EXAMPLE);
  const slash = value.indexOf('/');
  const hosts = slash === -1 ? value : value.slice(0, slash);
  const chroot = slash === -1 ? '' : value.slice(slash).replace(/\/+$/, '');
  if (chroot !== '') {
    const problem = checkPath(chroot);
    if (problem) throw new ZkLockConfigError('servers', `its chroot ${problem}`, EXAMPLE);
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

function parseServer(part: string): ServerAddress {
  const match = /^(?:\[([^\]]*)\]|([^:[\]@\s]+))(?::(\d+))?$/.exec(part);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? 2181);
  if (!host || (match?.[1] !== undefined && !isIPv6(host))) {
    throw new ZkLockConfigError('servers', `"${part}" is not a host and port`, EXAMPLE);
  }
  if (port < 1 || port > 65535) {
    throw new ZkLockConfigError('servers', `the port in "${part}" is not in 1..65535`, EXAMPLE);
  }
  return { host, port };
}

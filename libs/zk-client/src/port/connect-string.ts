import { isIPv6 } from 'node:net';
import { checkPath } from './node-path.js';
import type { ServerAddress } from './zookeeper-client.js';

export interface ConnectString {
  readonly servers: readonly ServerAddress[];
  /** `''` or an absolute path without a trailing slash. */
  readonly chroot: string;
}

/** A scheme before the hosts, or before one of them; in `ssl:2281`, `ssl` is the name of a host. */
const TLS_SCHEME = /(?:^|,)\s*(?:[\w+.-]+:\/\/|(?:zks|ssl|tls|secure):(?!\d+\s*(?:[,/]|$)))/i;
const TLS_NAME = /zks|ssl|tls|secure|https|wss/i;

/** In `a:1/app,b:1/app`, which ZooKeeper would read as one server with a long chroot. */
const SERVER_IN_CHROOT = /,[^,/]+:\d+(?=[,/]|$)/;

/** Characters in hosts that the resolver would refuse, or at which it would truncate the name. */
const REFUSED = /[\p{Control}\p{Surrogate}]/u;

const LONGEST_SHOWN = 80;

/**
 * Parses ZooKeeper's connect string: `host[:port],…[/chroot]`, port 2181 by default, IPv6 in
 * brackets.
 *
 * @param text in which {@link findServersProblem} finds no problem
 */
export function parseConnectString(text: string): ConnectString {
  const { addresses, chroot } = split(text);
  return { servers: addresses.map(parseAddress), chroot };
}

/** What is wrong with a connect string, as a clause, or undefined. */
export function findServersProblem(text: unknown): string | undefined {
  if (text === undefined) return 'it is undefined';
  // Not shown: it may have a password.
  if (typeof text !== 'string') return 'it is not a string';
  if (text.trim() === '') return 'it is empty';
  if (TLS_NAME.test(TLS_SCHEME.exec(text)?.[0] ?? '')) {
    return 'it asks for TLS: write host:port, and set `tls: true`';
  }
  if (text.includes('://')) return 'it is a URL';
  // Not repeated in the message: the text before an @ may be a password.
  if (text.includes('@')) {
    return 'it contains an "@": pass a user and a password as `credentials`';
  }
  const { addresses, chroot } = split(text);
  if (SERVER_IN_CHROOT.test(chroot)) {
    return 'it names a server after the chroot: write the chroot once, at the end';
  }
  const chrootProblem = chroot === '' ? undefined : checkPath(chroot);
  if (chrootProblem !== undefined) return `it has a malformed chroot: ${chrootProblem}`;
  return addresses.map(findAddressProblem).find((problem) => problem !== undefined);
}

/** `host:port`, with IPv6 addresses in brackets. */
export function formatAddress({ host, port }: ServerAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

export function formatConnectString({ servers, chroot }: ConnectString): string {
  return servers.map(formatAddress).join(',') + chroot;
}

function split(text: string): { addresses: readonly string[]; chroot: string } {
  const [hosts = ''] = text.split('/', 1);
  const chroot = text.slice(hosts.length).replace(/\/+$/, '');
  return { addresses: hosts.split(',').map((part) => part.trim()), chroot };
}

function parseAddress(text: string): ServerAddress {
  const match = /^(?:\[([^\]]*)\]|([^:[\]@\s]+))(?::(\d+))?$/.exec(text);
  return { host: match?.[1] ?? match?.[2] ?? '', port: Number(match?.[3] ?? 2181) };
}

function findAddressProblem(text: string): string | undefined {
  const { host, port } = parseAddress(text);
  const shown = text.slice(0, LONGEST_SHOWN);
  if (host === '' || REFUSED.test(host) || (text.startsWith('[') && !isIPv6(host))) {
    return `it contains "${shown}", which is not a host and port`;
  }
  // The resolver would take it for the address 0.0.x.y.
  if (/^\d{1,5}$/.test(host)) return `it contains "${shown}", which has no host: write host:port`;
  return port < 1 || port > 65535
    ? `it contains "${shown}", whose port is not from 1 to 65535`
    : undefined;
}

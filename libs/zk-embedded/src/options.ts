import { isIP } from 'node:net';
import { DEFAULT_MAX_FRAME_BYTES } from 'zk-protocol';

/**
 * Options that Apache's server also has have the same defaults there, except `tickTimeMs`, whose
 * default is that of Apache's sample configuration.
 */
export interface EmbeddedZooKeeperOptions {
  /** The port to listen on; 0 takes any free port. @default 0 */
  readonly port?: number;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** The unit in which sessions expire, in milliseconds. @default 2000 */
  readonly tickTimeMs?: number;
  /** The shortest session that a client can have, in milliseconds. @default two ticks */
  readonly minSessionTimeoutMs?: number;
  /** The longest session that a client can have, in milliseconds. @default 20 ticks */
  readonly maxSessionTimeoutMs?: number;
  /** How often empty containers and nodes with a TTL are looked for, in milliseconds. @default 60000 */
  readonly containerCheckIntervalMs?: number;
  /** How many connections one address may have, 0 for any number (`maxClientCnxns`). @default 60 */
  readonly maxClientConnections?: number;
  /** The longest request, in bytes (`jute.maxbuffer`). @default 1048575 */
  readonly maxBufferBytes?: number;
}

export type ResolvedOptions = Required<EmbeddedZooKeeperOptions>;

const MAX_INT = 0x7fff_ffff;

/** @throws {TypeError} naming the invalid option and its valid values */
export function resolveOptions(options: EmbeddedZooKeeperOptions): ResolvedOptions {
  const tickTimeMs = integer(options, 'tickTimeMs', 2_000, 1);
  const minSessionTimeoutMs = integer(options, 'minSessionTimeoutMs', 2 * tickTimeMs, 1);
  const longest = Math.max(20 * tickTimeMs, minSessionTimeoutMs);
  const resolved: ResolvedOptions = {
    port: integer(options, 'port', 0, 0, 65_535),
    host: options.host ?? '127.0.0.1',
    tickTimeMs,
    minSessionTimeoutMs,
    maxSessionTimeoutMs: integer(options, 'maxSessionTimeoutMs', longest, minSessionTimeoutMs),
    containerCheckIntervalMs: integer(options, 'containerCheckIntervalMs', 60_000, 1),
    maxClientConnections: integer(options, 'maxClientConnections', 60, 0),
    maxBufferBytes: integer(options, 'maxBufferBytes', DEFAULT_MAX_FRAME_BYTES, 1),
  };
  if (isIP(resolved.host) === 0 && resolved.host !== 'localhost') {
    throw new TypeError(
      `zk-embedded: host must be an IP address of this machine; got ${quote(resolved.host)}. Omit it for 127.0.0.1.`,
    );
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(resolved, name));
  if (unknown !== undefined) {
    throw new TypeError(
      `zk-embedded: ${quote(unknown)} is not an option; use ${Object.keys(resolved).join(', ')}.`,
    );
  }
  return resolved;
}

/** As connect strings have it: `127.0.0.1:2181`, `[::1]:2181`. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function integer(
  options: EmbeddedZooKeeperOptions,
  name: Exclude<keyof EmbeddedZooKeeperOptions, 'host'>,
  byDefault: number,
  min: number,
  max = MAX_INT,
): number {
  const value: unknown = options[name] ?? byDefault;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw new TypeError(
    `zk-embedded: ${name} must be a whole number from ${min} to ${max}; got ${quote(value)}. Omit it for ${byDefault}.`,
  );
}

function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

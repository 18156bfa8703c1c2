import { readFileSync } from 'node:fs';
import type { LocksOptions } from 'zk-locks';
import { CONNECTION_FLAGS, flagName, type FlagValues } from './flags.js';
import { UsageError } from './usage-error.js';

export const DEFAULT_SESSION_TIMEOUT_MS = 10_000;
export const DEFAULT_TICK_TIME_MS = 2_000;

type ConnectionFlag = keyof typeof CONNECTION_FLAGS;

/** The flag of each option of zk-locks, for its errors. */
const FLAG_OF: Readonly<Record<string, string>> = {
  servers: 'connect',
  root: 'root',
  dialect: 'dialect',
  'credentials.username': 'user',
  'credentials.password': 'password-file',
  'credentials.scheme': 'scheme',
  credentials: 'user',
  acl: 'acl',
  tls: 'tls',
  ca: 'tls-ca',
  cert: 'tls-cert',
  key: 'tls-key',
  sessionTimeoutMs: 'session-timeout',
  tickTimeMs: 'tick-time',
  connectTimeoutMs: 'connect-timeout',
  application: 'application',
  timeoutMs: 'wait',
  maxHoldMs: 'max-hold',
  foreign: 'foreign',
  label: 'label',
  permits: 'permits',
};

/** The flag for an option of zk-locks, if there is one. */
export function flagOfOption(option: string): string | undefined {
  const name = FLAG_OF[option];
  if (name === undefined) return undefined;
  return flagName(name, CONNECTION_FLAGS[name as ConnectionFlag]);
}

/** @throws {UsageError} */
export function readSettings(flags: FlagValues): LocksOptions {
  const servers = flags.text('connect');
  if (servers === undefined) {
    throw new UsageError(
      'No servers were given: set ZK_CONNECT to their connect string, as in ZK_CONNECT=zk1:2181,zk2:2181, or pass --connect.',
    );
  }
  return {
    servers,
    client: 'wire',
    application: flags.text('application') ?? 'zk-lock',
    sessionTimeoutMs: flags.durationMs('session-timeout') ?? DEFAULT_SESSION_TIMEOUT_MS,
    tickTimeMs: flags.durationMs('tick-time') ?? DEFAULT_TICK_TIME_MS,
    root: flags.text('root'),
    dialect: flags.text('dialect') as LocksOptions['dialect'],
    acl: flags.text('acl') as LocksOptions['acl'],
    connectTimeoutMs: flags.durationMs('connect-timeout'),
    credentials: credentialsOf(flags),
    tls: tlsOf(flags),
  };
}

function credentialsOf(flags: FlagValues): LocksOptions['credentials'] {
  const [username, passwordFile] = [flags.text('user'), flags.text('password-file')];
  if (username === undefined && passwordFile === undefined) return undefined;
  if (username === undefined || passwordFile === undefined) {
    const missing = username === undefined ? 'user' : 'password-file';
    throw new UsageError(
      `A user needs both --user (ZK_LOCK_USER) and --password-file (ZK_LOCK_PASSWORD_FILE): pass ${flagName(missing, CONNECTION_FLAGS[missing])} too.`,
    );
  }
  const password = readText(flags, 'password-file').replace(/\r?\n$/, '');
  const scheme = flags.text('scheme') as 'digest' | undefined;
  return { username, password, ...(scheme && { scheme }) };
}

function tlsOf(flags: FlagValues): LocksOptions['tls'] {
  const files = { ca: 'tls-ca', cert: 'tls-cert', key: 'tls-key' } as const;
  const given = Object.entries(files).filter(([, flag]) => flags.has(flag));
  if (given.length === 0) return flags.isOn('tls');
  if (flags.has('tls') && !flags.isOn('tls')) {
    throw new UsageError(
      `${flags.nameOf('tls')} is false, and ${flags.nameOf(given[0]?.[1] ?? 'tls')} asks for TLS: leave out one of them.`,
    );
  }
  return Object.fromEntries(given.map(([option, flag]) => [option, readText(flags, flag)]));
}

function readText(flags: FlagValues, flag: ConnectionFlag): string {
  const path = flags.text(flag) ?? '';
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${flags.nameOf(flag)} is "${path}", which cannot be read (${code}): pass a file that you are allowed to read.`,
    );
  }
}

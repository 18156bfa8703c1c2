import { types } from 'node:util';
import { findServersProblem } from '../port/connect-string.js';
import { checkPath } from '../port/node-path.js';
import { USER_SCHEMES } from '../port/user.js';
import { MAX_COUNT, MAX_TTL_MS } from '../limits.js';
import {
  boolean,
  func,
  integer,
  isObject,
  oneOf,
  type Option,
  show,
  tableOf,
  time,
  wholeMs,
} from '../option.js';

/** A path in ZooKeeper's tree, except the root and ZooKeeper's own nodes. */
export function ownPath(example: string): Option {
  return {
    expected: 'an absolute path of its own',
    accepts: (path) => findPathProblem(path) === undefined,
    finding: findPathProblem,
    remedy: `Pass for example "${example}".`,
  };
}

function findPathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string') return `got ${show(path)}`;
  if (path === '/') return '"/" is the root of the tree';
  if (/^\/zookeeper(\/|$)/.test(path)) return '"/zookeeper" is reserved for ZooKeeper';
  return checkPath(path);
}

/** Any part of them may be the password, which must not appear in a log. */
const credentials = (expected: string, accepts: (value: unknown) => boolean): Option => ({
  expected,
  accepts,
  finding: () => undefined,
  remedy: 'Pass { username, password }, both non-empty strings, without ":" in the user name.',
});

/** The options of a session. */
export const SESSION_OPTIONS = {
  servers: {
    expected: "ZooKeeper's connect string",
    accepts: (value) => findServersProblem(value) === undefined,
    finding: (value) => findServersProblem(value),
    remedy: 'Use "host:2181", "host1:2181,host2:2181" or "host:2181/chroot".',
  },
  sessionTimeoutMs: wholeMs(10_000),
  connectTimeoutMs: wholeMs(10_000),
  // No server has a shorter tick, so the value was meant in seconds.
  tickTimeMs: wholeMs(2_000, 10),
  credentials: credentials('an object', isObject),
  acl: oneOf('open', 'creator'),
  tls: {
    expected: 'a boolean or an object',
    accepts: (value) => typeof value === 'boolean' || isObject(value),
    remedy:
      'Pass `tls: true`, or an object with `ca`, `cert` and `key` as for tls.connect() of Node.',
  },
} satisfies Readonly<Record<string, Option>>;

/** Every option of a session and of its calls. */
export const CLIENT_OPTIONS = {
  ...SESSION_OPTIONS,
  'credentials.username': credentials(
    'a non-empty string without ":"',
    (value) => typeof value === 'string' && value !== '' && !value.includes(':'),
  ),
  'credentials.password': credentials(
    'a non-empty string',
    (value) => typeof value === 'string' && value !== '',
  ),
  'credentials.scheme': oneOf(...USER_SCHEMES),

  // Options of calls.
  timeoutMs: time(
    'a number of milliseconds, 0 or more, or Infinity',
    (ms) => ms >= 0,
    'Pass 5000, 0 to try once, or Infinity to wait without limit.',
  ),
  path: ownPath('/stock/7'),
  anyPath: {
    expected: 'an absolute path',
    accepts: (path) => typeof path === 'string' && checkPath(path) === undefined,
    finding: (path) => (typeof path === 'string' ? checkPath(path) : `got ${show(path)}`),
    remedy: 'Pass for example "/stock/7".',
  },
  data: {
    expected: 'a string, a Buffer or a Uint8Array',
    accepts: (value) => typeof value === 'string' || types.isUint8Array(value),
    remedy: 'Pass JSON.stringify(value) for anything else.',
  },
  version: integer(0, MAX_COUNT, { example: 3 }),
  ttlMs: integer(1, MAX_TTL_MS, { unit: 'milliseconds', example: 3_600_000 }),
  recursive: boolean,
  fn: func('a function', 'Pass a function.'),
} satisfies Readonly<Record<string, Option>>;

export const { checkOption, OPTIONS, optionsOf, readParts } = tableOf(CLIENT_OPTIONS);

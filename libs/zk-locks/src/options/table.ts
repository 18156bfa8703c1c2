import { CLIENT_NAMES } from './client-name.js';
import { checkPath, findServersProblem, USER_SCHEMES } from 'zk-client/session';
import { DIALECT_NAMES, MAX_GRANTS } from '../queue/dialect.js';
import { MAX_COUNT, MAX_PERMITS, MAX_TIMER_MS, MAX_TTL_MS } from './limits.js';
import {
  array,
  attempt,
  boolean,
  checkValue,
  func,
  integer,
  isObject,
  object,
  oneOf,
  type Option,
  orFunction,
  readChecked,
  type Schema,
  shownText,
  show,
  signal,
  time,
} from './option.js';

const wholeMs = (example: number): Option =>
  integer(1, MAX_TIMER_MS, { unit: 'milliseconds', example });

const waitingTime = time(
  'a number of milliseconds, 0 or more, or Infinity',
  (ms) => ms >= 0,
  'Pass 5000, 0 to try once, or Infinity to wait without limit.',
);

const callCount: Option = {
  expected: 'an integer, 1 or more, or Infinity',
  accepts: (value) => value === Infinity || (Number.isSafeInteger(value) && Number(value) >= 1),
  remedy: 'Pass 1000, or Infinity for no limit.',
};

/** Permits that are there, or taken together. */
export const permitsFrom = (from: number, to = MAX_PERMITS): Option =>
  integer(from, to, { example: 1 });

const fixedPermits = permitsFrom(1);

const answer: Option = {
  expected: "'throw', 'skip' or a function of the method's arguments",
  accepts: (value) => value === 'throw' || value === 'skip' || typeof value === 'function',
  remedy: 'For a fixed answer pass `() => answer`.',
};

const connectionName: Option = {
  expected: 'the name of a connection, a string that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
  remedy: 'Leave it out for the connection without a name.',
};

/** A path of ours in the tree of ZooKeeper. */
function ownPath(example: string): Option {
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
  if (/^\/zookeeper(\/|$)/.test(path)) return '"/zookeeper" belongs to ZooKeeper itself';
  return checkPath(path);
}

/** Any part of them may be the password, which must not be in a log. */
const credentials = (expected: string, accepts: (value: unknown) => boolean): Option => ({
  expected,
  accepts,
  finding: () => undefined,
  remedy: 'Pass { username, password }, both non-empty strings, no ":" in the user name.',
});

/** The options of a connection. */
export const CONNECTION = {
  servers: {
    expected: "ZooKeeper's connect string",
    accepts: (value) => findServersProblem(value) === undefined,
    finding: findServersProblem,
    remedy: 'Use "host:2181", "host1:2181,host2:2181" or "host:2181/chroot".',
  },
  sessionTimeoutMs: wholeMs(10_000),
  connectTimeoutMs: wholeMs(10_000),
  tickTimeMs: wholeMs(2_000),
  lateCreateTimeoutMs: wholeMs(300_000),
  failFastAfterMs: wholeMs(5_000),
  marginMs: integer(0, MAX_TIMER_MS, { unit: 'milliseconds', example: 2_000 }),
  root: ownPath('/locks'),
  acquireTimeoutMs: waitingTime,
  release: oneOf('wait', 'background'),
  application: shownText,
  dialect: oneOf(...DIALECT_NAMES),
  credentials: credentials('an object', (value) => typeof value === 'object' && value !== null),
  acl: oneOf('open', 'creator'),
  client: oneOf(...CLIENT_NAMES),
  tls: {
    expected: 'a boolean or an object',
    accepts: (value) => typeof value === 'boolean' || isObject(value),
    remedy:
      'Pass `tls: true`, or an object with `ca`, `cert` and `key` as for tls.connect() of Node.',
  },
  cohort: object('Pass { maxHandovers, maxTenureMs, keepMs }, or false.', 'or false'),
  maxWaiting: object('Pass { perKey, total }, each a number of calls.'),
  warnNesting: boolean,
} satisfies Readonly<Record<string, Option>>;

/**
 * Every option of the module, of calls and of decorators: an option of one name is checked in one way,
 * wherever it is given. What depends on another option is checked in `locks-options.ts` and
 * `call-options.ts`, by the same means.
 */
const TABLE = {
  ...CONNECTION,
  'credentials.username': credentials(
    'a non-empty string without ":"',
    (value) => typeof value === 'string' && value !== '' && !value.includes(':'),
  ),
  'credentials.password': credentials(
    'a non-empty string',
    (value) => typeof value === 'string' && value !== '',
  ),
  'credentials.scheme': oneOf(...USER_SCHEMES),
  'cohort.maxHandovers': integer(1, MAX_GRANTS - 1, { example: 1_000 }),
  'cohort.maxTenureMs': wholeMs(100),
  'cohort.keepMs': integer(0, MAX_TIMER_MS, { unit: 'milliseconds', example: 10_000 }),
  'maxWaiting.perKey': callCount,
  'maxWaiting.total': callCount,

  // Of calls.
  mode: oneOf('read', 'write'),
  timeoutMs: waitingTime,
  label: shownText,
  pattern: shownText,
  signal,
  reentrant: boolean,
  linearizable: boolean,
  node: {
    expected: 'the name of a znode',
    accepts: (value) => typeof value === 'string' && value !== '',
    remedy: 'Pass `node` of the contender, as `inspect` shows it.',
  },
  token: {
    expected: 'a fencing token, a bigint',
    accepts: (value) => typeof value === 'bigint' && value >= 0n,
    remedy: 'Pass `fencingToken` of the contender, as `inspect` shows it.',
  },
  foreign: boolean,
  limit: {
    expected: 'an integer, 1 or more',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 1,
    remedy: 'Pass 100.',
  },
  permits: {
    expected: `${fixedPermits.expected}, or { sharedCount, seed }`,
    accepts: (value) => isObject(value) || fixedPermits.accepts(value),
    remedy: 'Pass 4, or { sharedCount, seed } for a number that can be changed at run time.',
  },
  sharedCount: ownPath('/counts/gpu'),
  seed: integer(0, MAX_COUNT, { example: 4 }),
  fn: func('a function', 'Pass the work to be guarded.'),

  // Of transactions.
  path: ownPath('/stock/7'),
  data: {
    expected: 'a text, a Buffer or a Uint8Array',
    accepts: (value) => typeof value === 'string' || value instanceof Uint8Array,
    remedy: 'Pass JSON.stringify(value) for anything else.',
  },
  version: integer(0, MAX_COUNT, { example: 3 }),

  // Of the client for znodes.
  anyPath: {
    expected: 'an absolute path',
    accepts: (path) => typeof path === 'string' && checkPath(path) === undefined,
    finding: (path) => (typeof path === 'string' ? checkPath(path) : `got ${show(path)}`),
    remedy: 'Pass for example "/stock/7".',
  },
  ttlMs: integer(1, MAX_TTL_MS, { unit: 'milliseconds', example: 3_600_000 }),
  recursive: boolean,

  // Of modules.
  lazy: boolean,
  mapErrors: boolean,
  isGlobal: boolean,
  name: connectionName,
  shutdownGraceMs: time(
    'a finite number of milliseconds, 0 or more',
    (ms) => Number.isFinite(ms) && ms >= 0,
    'Pass 5000.',
  ),
  semaphores: array("Pass [{ key: 'cards', permits: 4 }]."),
  elections: array("Pass ['reports']."),
  useFactory: func('a function', 'Pass a function that returns the options.'),
  useClass: func('a class', 'Pass a class with createZkLockOptions().'),
  forRootAsync: {
    expected: 'given useFactory, useClass or useExisting, which say where its options come from',
    accepts: (given) =>
      ['useFactory', 'useClass', 'useExisting'].some(
        (name) => (given as Readonly<Record<string, unknown>>)[name],
      ),
    finding: () => undefined,
    remedy: 'Pass one of them.',
  },
  inject: array('Pass an array of tokens.'),
  imports: array('Pass an array of modules.'),
  provideInjectionTokensFrom: array('Pass an array of providers.'),

  // Of the lock board.
  readOnly: boolean,
  longWaitMs: wholeMs(60_000),
  longHoldMs: wholeMs(600_000),

  // Of decorators.
  onBusy: answer,
  onFollower: answer,
  minHoldMs: time(
    `a number of milliseconds from 0 to ${MAX_TIMER_MS}`,
    (ms) => ms >= 0 && ms <= MAX_TIMER_MS,
    'Pass 30000.',
  ),
  atMostEveryMs: integer(1, Number.MAX_SAFE_INTEGER, { unit: 'milliseconds', example: 60_000 }),
  maxHoldMs: time(
    `a number of milliseconds above 0 and up to ${MAX_TIMER_MS}`,
    (ms) => ms > 0 && ms <= MAX_TIMER_MS,
    'Pass 30000, or leave it out for no limit.',
  ),
  take: fixedPermits,
  connection: connectionName,
} satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof TABLE;

export const OPTIONS: Readonly<Record<OptionName, Option>> = TABLE;

/** @throws {ZkLockConfigError} */
export function checkOption(name: OptionName, value: unknown): void {
  checkValue(name, value, OPTIONS[name]);
}

/** The checks of these options. */
export function optionsOf<Name extends OptionName>(...names: Name[]): Record<Name, Option> {
  return fromTable(names, (option) => option);
}

/** The checks of these options where each may also be a function of a call's arguments. */
export function functionsOf<Name extends OptionName>(...names: Name[]): Record<Name, Option> {
  return fromTable(names, orFunction);
}

function fromTable<Name extends OptionName>(
  names: readonly Name[],
  use: (option: Option) => Option,
): Record<Name, Option> {
  const entries = names.map((name) => [name, use(OPTIONS[name])] as const);
  return Object.fromEntries(entries) as Record<Name, Option>;
}

/**
 * The parts of an option that is an object; each of them is checked.
 *
 * @throws {ZkLockConfigError}
 */
export function readParts<T extends object>(option: OptionName, given: T): T {
  const prefix = `${option}.`;
  const parts = Object.entries(TABLE).filter(([name]) => name.startsWith(prefix));
  const schema = Object.fromEntries(parts.map(([name, part]) => [name.slice(prefix.length), part]));
  return readChecked(given, schema as Schema<T>, { prefix });
}

/**
 * What an option comes to in one call, where it may be a function of the call's arguments.
 *
 * @throws {ZkLockConfigError} where that function throws, or what it returns cannot be used
 */
export function resolveOption<T>(
  name: OptionName,
  given: T | ((...args: never[]) => T),
  args: readonly unknown[],
): T {
  if (typeof given !== 'function') return given;
  const compute = given as (...args: readonly unknown[]) => T;
  const value = attempt(
    name,
    () => compute(...args),
    'is a function that throws',
    'Let it return; the `cause` says more.',
  );
  const remedy = 'See what its function returns.';
  if (value !== undefined) checkValue(name, value, { ...OPTIONS[name], remedy });
  return value;
}

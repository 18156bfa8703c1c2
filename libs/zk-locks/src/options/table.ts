import { CLIENT_NAMES } from './client-name.js';
import { DIALECT_NAMES } from '../nodes/dialect.js';
import { MAX_GRANTS } from '../nodes/fencing-token.js';
import { MAX_EVERY_MS, MAX_PERMITS } from './limits.js';
import {
  array,
  attempt,
  boolean,
  checkValue,
  CLIENT_OPTIONS,
  func,
  type Hints,
  integer,
  isObject,
  MAX_COUNT,
  MAX_TIMER_MS,
  object,
  oneOf,
  type Option,
  ownPath,
  SESSION_OPTIONS,
  shownText,
  signal,
  tableOf,
  time,
  wholeMs,
} from 'zk-client/recipes';

const callCount: Option = {
  expected: 'an integer, 1 or more, or Infinity',
  accepts: (value) => value === Infinity || (Number.isSafeInteger(value) && Number(value) >= 1),
  remedy: 'Pass 1000, or Infinity for no limit.',
};

/** The number of permits of a semaphore, or of one call. */
export const permitsFrom = (from: number, to = MAX_PERMITS): Option =>
  integer(from, to, { example: 1 });

const fixedPermits = permitsFrom(1);

const answer: Option = {
  expected: "'throw', 'skip' or a function of the method's arguments",
  accepts: (value) => value === 'throw' || value === 'skip' || typeof value === 'function',
  remedy: 'For a fixed result, pass `() => result`.',
};

const connectionName: Option = {
  expected: 'the name of a connection, a non-empty string',
  accepts: (value) => typeof value === 'string' && value !== '',
  remedy: 'Omit it for the connection without a name.',
};

/** The options of a connection. */
export const CONNECTION = {
  ...SESSION_OPTIONS,
  lateCreateTimeoutMs: wholeMs(300_000),
  failFastAfterMs: wholeMs(5_000),
  marginMs: integer(0, MAX_TIMER_MS, { unit: 'milliseconds', example: 2_000 }),
  root: ownPath('/locks'),
  acquireTimeoutMs: CLIENT_OPTIONS.timeoutMs,
  release: oneOf('wait', 'background'),
  application: shownText,
  dialect: oneOf(...DIALECT_NAMES),
  client: oneOf(...CLIENT_NAMES),
  cohort: object('Pass { maxHandovers, maxTenureMs, keepMs }, or false.', 'or false'),
  maxWaiting: object('Pass { perKey, total }, each a number of calls.'),
  warnNesting: boolean,
} satisfies Readonly<Record<string, Option>>;

/**
 * For reading the options of calls and decorators: hints for options that only a connection has.
 */
export const CONNECTION_HINTS: { readonly hints: Hints } = {
  hints: Object.fromEntries(
    Object.keys(CONNECTION).map((name) => [
      name.toLowerCase(),
      {
        problem: 'is not an option of calls',
        remedy: `Set \`${name}\` for the connection, in forRoot() or new Locks().`,
      },
    ]),
  ),
};

const graceMs = time(
  'a finite number of milliseconds, 0 or more',
  (ms) => Number.isFinite(ms) && ms >= 0,
  'Pass 5000.',
);

/**
 * Every option of the module, of calls and of decorators. An option of a given name is checked in
 * the same way wherever it is given. What depends on another option is checked in
 * `locks-options.ts` and `call-options.ts`, by the same means.
 */
const TABLE = {
  ...CLIENT_OPTIONS,
  ...CONNECTION,
  'cohort.maxHandovers': integer(1, MAX_GRANTS - 1, { example: 1_000 }),
  'cohort.maxTenureMs': wholeMs(100),
  'cohort.keepMs': integer(0, MAX_TIMER_MS, { unit: 'milliseconds', example: 10_000 }),
  'maxWaiting.perKey': callCount,
  'maxWaiting.total': callCount,

  // Options of calls.
  mode: oneOf('read', 'write'),
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
  wait: boolean,
  graceMs,

  // Options of modules.
  lazy: boolean,
  mapErrors: boolean,
  isGlobal: boolean,
  name: connectionName,
  shutdownGraceMs: graceMs,
  semaphores: array("Pass [{ key: 'cards', permits: 4 }]."),
  elections: array("Pass ['reports']."),
  useFactory: func('a function', 'Pass a function that returns the options.'),
  useClass: func('a class', 'Pass a class with createZkLockOptions().'),
  forRootAsync: {
    expected: 'given useFactory, useClass or useExisting, which provide its options',
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

  // Options of the lock board.
  readOnly: boolean,
  longWaitMs: wholeMs(60_000),
  longHoldMs: wholeMs(600_000),

  // Options of decorators.
  onBusy: answer,
  onFollower: answer,
  minHoldMs: time(
    `a number of milliseconds from 0 to ${MAX_TIMER_MS}`,
    (ms) => ms >= 0 && ms <= MAX_TIMER_MS,
    'Pass 30000.',
  ),
  atMostEveryMs: integer(1, MAX_EVERY_MS, { unit: 'milliseconds', example: 60_000 }),
  maxHoldMs: time(
    `a number of milliseconds above 0 and up to ${MAX_TIMER_MS}`,
    (ms) => ms > 0 && ms <= MAX_TIMER_MS,
    'Pass 30000, or omit it for no limit.',
  ),
  take: fixedPermits,
  connection: connectionName,
} satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof TABLE;

export const { checkOption, functionsOf, OPTIONS, optionsOf, readParts } =
  tableOf<OptionName>(TABLE);

/**
 * The value of an option in one call. The option may be a function of the call's arguments.
 *
 * @throws {ZkLockConfigError} when that function throws, or returns a value that cannot be used
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
    'is a function that threw an error',
    'Make it return a value; `cause` is the error.',
  );
  const remedy = 'Correct what its function returns.';
  if (value !== undefined) checkValue(name, value, { ...OPTIONS[name], remedy });
  return value;
}

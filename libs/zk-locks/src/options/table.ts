import { MAX_GRANTS, DIALECT_NAMES } from '../queue/dialect.js';
import {
  readOptions,
  array,
  boolean,
  checkValue,
  func,
  integer,
  object,
  oneOf,
  type Option,
  shownText,
  signal,
  time,
} from './option.js';
import { MAX_COUNT, MAX_PERMITS, MAX_TIMER_MS } from './limits.js';
import type { ElectionOptions, WhenLeaderOptions } from '../election/election-options.js';
import type {
  AcquireOptions,
  AcquireUpgradableOptions,
  InspectOptions,
  UpgradeOptions,
} from '../lock.js';

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

const answer: Option = {
  expected: "'throw', 'skip' or a function of the method's arguments",
  accepts: (value) => value === 'throw' || value === 'skip' || typeof value === 'function',
  remedy: 'For a fixed answer pass `() => answer`.',
};

/**
 * Every option of the module, of calls and of decorators that stands by itself: an option of one name
 * is checked in one way, wherever it is given. What depends on another option, or has to be parsed, is
 * checked in `locks-options.ts` and `semaphore-options.ts`.
 */
const TABLE = {
  // Of a connection.
  sessionTimeoutMs: wholeMs(10_000),
  connectTimeoutMs: wholeMs(10_000),
  tickTimeMs: wholeMs(2_000),
  lateCreateTimeoutMs: wholeMs(300_000),
  acquireTimeoutMs: waitingTime,
  application: shownText,
  dialect: oneOf(...DIALECT_NAMES),
  acl: oneOf('open', 'creator'),
  cohort: object('Pass { maxHandovers, maxTenureMs, keepMs }, or false.', 'or false'),
  'cohort.maxHandovers': integer(1, MAX_GRANTS - 1, { example: 1_000 }),
  'cohort.maxTenureMs': integer(1, MAX_TIMER_MS, { unit: 'milliseconds', example: 100 }),
  'cohort.keepMs': integer(0, MAX_TIMER_MS, { unit: 'milliseconds', example: 10_000 }),
  maxWaiting: object('Pass { perKey, total }, each a number of calls.'),
  'maxWaiting.perKey': callCount,
  'maxWaiting.total': callCount,

  // Of calls.
  mode: oneOf('read', 'write'),
  timeoutMs: waitingTime,
  label: shownText,
  pattern: shownText,
  signal,
  reentrant: boolean,
  release: oneOf('wait', 'background'),
  linearizable: boolean,
  limit: {
    expected: 'an integer, 1 or more',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 1,
    remedy: 'Pass 100.',
  },
  seed: integer(0, MAX_COUNT, { example: 4 }),
  fn: func('a function', 'Pass the work to be guarded.'),

  // Of modules.
  lazy: boolean,
  mapErrors: boolean,
  isGlobal: boolean,
  shutdownGraceMs: time(
    'a finite number of milliseconds, 0 or more',
    (ms) => Number.isFinite(ms) && ms >= 0,
    'Pass 5000.',
  ),
  semaphores: array("Pass [{ key: 'cards', permits: 4 }]."),
  elections: array("Pass ['reports']."),
  useFactory: func('a function', 'Pass a function that returns the options.'),
  useClass: func('a class', 'Pass a class with createZkLockOptions().'),
  inject: array('Pass an array of tokens.'),
  imports: array('Pass an array of modules.'),
  provideInjectionTokensFrom: array('Pass an array of providers.'),

  // Of decorators.
  onBusy: answer,
  onFollower: answer,
  minHoldMs: time(
    `a number of milliseconds from 0 to ${MAX_TIMER_MS}`,
    (ms) => ms >= 0 && ms <= MAX_TIMER_MS,
    'Pass 30000.',
  ),
  maxHoldMs: time(
    `a number of milliseconds above 0 and up to ${MAX_TIMER_MS}`,
    (ms) => ms > 0 && ms <= MAX_TIMER_MS,
    'Pass 30000, or leave it out for no limit.',
  ),
  connection: {
    expected: 'the name of a connection, a string that is not empty',
    accepts: (value) => typeof value === 'string' && value !== '',
    remedy: 'Leave it out for the connection without a name.',
  },
} satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof TABLE;

export const OPTIONS: Readonly<Record<OptionName, Option>> = TABLE;

/** @throws {ZkLockConfigError} */
export function checkOption(name: OptionName, value: unknown): void {
  checkValue(name, value, OPTIONS[name]);
}

/**
 * Reads options that all stand by themselves, and checks those that were given.
 *
 * @param names all that there are
 * @throws {ZkLockConfigError}
 */
export function readChecked<T extends object>(
  given: T | null | undefined,
  names: readonly (keyof T & OptionName)[],
): T {
  const options = readOptions(given, names);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) checkOption(name as OptionName, value);
  }
  return options;
}

/** Permits that are there, or taken together. */
export const permitsFrom = (from: number, to = MAX_PERMITS): Option =>
  integer(from, to, { example: 1 });

/*
 * Each refuses what TypeScript would have refused, for callers without it and for values computed at
 * run time, with a ZkLockConfigError.
 */

type Given<T> = T | null | undefined;

const UPGRADE = ['timeoutMs', 'signal'] as const;
const UPGRADABLE = [...UPGRADE, 'label', 'pattern', 'release'] as const;
const ACQUIRE = [...UPGRADABLE, 'mode', 'reentrant'] as const;

export function readAcquireOptions(given: Given<AcquireOptions>): AcquireOptions {
  return readChecked(given, ACQUIRE);
}

/** The values are checked where they become those of a call. */
export function readAcquireUpgradableOptions(
  given: Given<AcquireUpgradableOptions>,
): AcquireUpgradableOptions {
  return readOptions(given, UPGRADABLE);
}

/** As {@link readAcquireUpgradableOptions}. */
export function readUpgradeOptions(given: Given<UpgradeOptions>): UpgradeOptions {
  return readOptions(given, UPGRADE);
}

export function readElectionOptions(given: Given<ElectionOptions>): ElectionOptions {
  return readChecked(given, ['label', 'pattern']);
}

export function readWhenLeaderOptions(given: Given<WhenLeaderOptions>): WhenLeaderOptions {
  return readChecked(given, ['signal']);
}

export function readInspectOptions(given: Given<InspectOptions>): InspectOptions {
  return readChecked(given, ['linearizable', 'limit']);
}

import type { TlsOptions } from 'zk-client';
import {
  CLIENT_NAMES,
  CLIENT_VARIABLE,
  clientFromEnvironment,
  type ClientName,
  connectorFor,
  DEFAULT_CLIENT,
} from '../client/client-name.js';
import { parseConnectString, TLS_REMEDY, type ConnectString } from '../client/connect-string.js';
import { User, USER_SCHEMES, type UserScheme } from '../client/user.js';
import type { ZooKeeperConnector } from '../client/zookeeper-client.js';
import type { CohortOptions, TenureLimits } from '../cohort/cohort-options.js';
import { exposuresOf } from '../exposures.js';
import {
  DEFAULT_MAX_WAITING,
  type MaxWaiting,
  type MaxWaitingOptions,
} from '../holding/waiting-calls.js';
import type { ReleaseMode } from '../lock.js';
import type { DialectName } from '../queue/dialect.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { isArray, readOptions, readProperty, show } from './given.js';
import { checkValue, oneOf } from './option.js';
import { checkOwnPath } from './semaphore-options.js';
import { checkOption, type OptionName, OPTIONS } from './table.js';

export interface LocksOptions {
  /**
   * ZooKeeper's connect string: `host1:2181,host2:2181/chroot`. All addresses behind each name are
   * used, and resolved again for every round of attempts. The port is 2181 by default.
   */
  servers: string;
  /**
   * How long the servers keep a silent session, in milliseconds; they may answer another value
   * within their own limits (2 to 20 ticks by default), of which no more than four times this is
   * counted on. It bounds how long the lock of a process that died is blocked, and how long a
   * cut-off holder can go on. What the servers grant has to be 0.77 × `tickTimeMs` or more, or
   * start-up fails with a {@link ZkLockConfigError}.
   * @default 10000
   */
  sessionTimeoutMs?: number;
  /**
   * How long start-up waits for the first connection, in milliseconds; and how long `inspect`,
   * `revoke`, `list` and the number of permits of a shared count are waited for.
   * @default 10000
   */
  connectTimeoutMs?: number;
  /**
   * The servers' `tickTime` in milliseconds. A larger value than theirs is safe and lets a lock be
   * called lost a little sooner; a smaller one is not safe. Twice the tick where sessions are
   * connected to observers that follow a follower (`observerMasterPort`).
   * @default 2000
   */
  tickTimeMs?: number;
  /**
   * How long a node whose creation was never answered is looked for, to remove it, in milliseconds.
   * It must exceed the servers' `syncLimit × tickTime`: for so long a follower that was cut off may
   * hand requests over to its leader. A node that comes later blocks its lock until the session ends.
   * @default 300000
   */
  lateCreateTimeoutMs?: number;
  /**
   * The znode under which each key gets its directory, below the chroot.
   * @default '/locks'
   */
  root?: string;
  /**
   * The longest wait for a lock where a call does not say, in milliseconds.
   * @default 30000
   */
  acquireTimeoutMs?: number;
  /**
   * Whether the release of a lock or permits waits for ZooKeeper's answer, where a call does not say.
   * @default 'wait'
   */
  release?: ReleaseMode;
  /**
   * Lets calls of this process that want the same key hand it over to each other in memory, behind
   * one znode, so often and so long; readers share that znode. Others wait for longer then, but not
   * without limit. `{}` for the default limits.
   * @default false
   */
  cohort?: CohortOptions | false;
  /**
   * How many calls of this process may wait for locks and permits at the same time, for one key and in
   * all; a call beyond that is refused at once with `LockQueueFullError`. Single tries
   * (`timeoutMs: 0`), reentrant calls and elections do not count.
   * @default { perKey: 1000, total: 10000 }
   */
  maxWaiting?: MaxWaitingOptions;
  /**
   * Whose node names are used, and so with whom locks are shared; the same in all processes that
   * use this root. `curator-mutex` has no read mode.
   * @default 'curator-rw'
   */
  dialect?: DialectName;
  /**
   * Names this application to people who look at the queue; at most 200 characters, in clear text.
   * @default none
   */
  application?: string;
  /**
   * A user, authenticated anew on every connection: by ZooKeeper's own scheme `digest`, which sends
   * the password, or by `sasl` (DIGEST-MD5), which does not, and which the servers have to be
   * configured for. Without a `scheme` it is `digest`.
   * @default none
   */
  credentials?: { username: string; password: string; scheme?: UserScheme };
  /**
   * Who may see and touch the nodes that this process creates: everybody (`open`), or nobody but the
   * user of `credentials` (`creator`). Directories that are there already stay as they are.
   * @default 'creator' with `credentials`, else 'open'
   */
  acl?: AclName;
  /**
   * What speaks to ZooKeeper: `zk-client` (`wire`), which is JavaScript alone, works in every thread,
   * and can do TLS and SASL; or npm `zookeeper` (`native`), a binding to Apache's C client, which the
   * application has to install. The environment variable `NESTJS_ZK_LOCK_CLIENT` decides where this
   * is not set.
   * @default 'wire'
   */
  client?: ClientName;
  /**
   * Speaks TLS to the servers: `true`, or options of Node's `tls.connect()` such as `ca`, `cert` and
   * `key`. Their certificates have to be for the names in `servers`.
   * @default false
   */
  tls?: boolean | TlsOptions;
}

/** For whom nodes are created. */
export type AclName = 'open' | 'creator';

export interface ResolvedLocksOptions {
  readonly connectString: ConnectString;
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly tickTimeMs: number;
  readonly lateCreateTimeoutMs: number;
  /** With the chroot. */
  readonly root: string;
  readonly acquireTimeoutMs: number;
  readonly release: ReleaseMode;
  readonly cohort: TenureLimits | undefined;
  readonly maxWaiting: MaxWaiting;
  readonly dialect: DialectName;
  readonly application: string | undefined;
  readonly user: User | undefined;
  /** Whether its nodes are for `user` alone. */
  readonly restrictsNodes: boolean;
  readonly connector: ZooKeeperConnector;
  /** What of the connection is open to the network, for the log. */
  readonly exposures: readonly string[];
}

const DEFAULTS = {
  sessionTimeoutMs: 10_000,
  connectTimeoutMs: 10_000,
  tickTimeMs: 2_000,
  lateCreateTimeoutMs: 300_000,
  root: '/locks',
  acquireTimeoutMs: 30_000,
  release: 'wait',
  cohort: false,
  maxWaiting: DEFAULT_MAX_WAITING,
  dialect: 'curator-rw',
} as const;

const DEFAULT_COHORT: TenureLimits = { maxHandovers: 1_000, maxTenureMs: 100 };

/** As they are called elsewhere. */
const TLS_OPTIONS = ['ssl', 'usetls', 'usessl', 'secure', 'ca', 'cert'];

const KNOWN = [
  'servers',
  ...Object.keys(DEFAULTS),
  'application',
  'credentials',
  'acl',
  'client',
  'tls',
];

/**
 * Checks the options and fills in the defaults.
 *
 * @param siblings names of options that the caller has taken out and checked itself
 * @throws {ZkLockConfigError} naming the option at fault
 */
export function resolveLocksOptions(
  given: LocksOptions,
  siblings: readonly string[] = [],
): ResolvedLocksOptions {
  const set = readGiven(given, siblings);
  const { servers, root, credentials, acl, client, tls, cohort, maxWaiting, ...others } = {
    ...DEFAULTS,
    ...set,
  };
  const connectString = parseConnectString(servers);
  const user = credentials === undefined ? undefined : userOf(credentials);
  const tlsOptions = tlsOf(tls);
  return {
    application: undefined,
    ...others,
    connectString,
    root: connectString.chroot + checkOwnPath('root', root, '/locks'),
    cohort: cohort === false ? undefined : readLimits('cohort', cohort, DEFAULT_COHORT),
    maxWaiting: readLimits('maxWaiting', maxWaiting, DEFAULT_MAX_WAITING),
    user,
    restrictsNodes: aclFor(acl, user) === 'creator',
    connector: connectorFor(clientFor(client), {
      tls: tlsOptions,
      needsSasl: user?.scheme === 'sasl',
      isFromEnvironment: client === undefined,
    }),
    exposures: exposuresOf(connectString, user, tlsOptions),
  };
}

/**
 * @param siblings names of options that the caller has taken out and checked itself
 * @throws {ZkLockConfigError} naming the option at fault
 */
export function checkLocksOptions(given: LocksOptions, siblings: readonly string[]): void {
  resolveLocksOptions(given, siblings);
}

/** Those that are set, each of which can be used by itself. */
function readGiven(given: LocksOptions, siblings: readonly string[]): LocksOptions {
  if (!isRecord(given)) {
    throw new ZkLockConfigError('options', 'are missing', 'Pass at least { servers }.');
  }
  const set = Object.entries(readOptions(given)).filter(([, value]) => value !== undefined);
  for (const [name, value] of set) {
    if (!KNOWN.includes(name)) throw unknownOption(name, siblings);
    if (name in OPTIONS) checkOption(name as OptionName, value);
  }
  return Object.fromEntries(set) as unknown as LocksOptions;
}

function unknownOption(name: string, siblings: readonly string[]): ZkLockConfigError {
  if (TLS_OPTIONS.includes(name.toLowerCase())) {
    return new ZkLockConfigError(name, 'asks for TLS', TLS_REMEDY);
  }
  const known = [...KNOWN, ...siblings].join(', ');
  return new ZkLockConfigError(name, 'is no option', `Use ${known}.`);
}

/** The parts of an option that is an object. */
function readLimits<Limits extends object>(
  option: 'cohort' | 'maxWaiting',
  given: object,
  defaults: Limits,
): Limits {
  const limits = readOptions(given as Partial<Limits>, Object.keys(defaults));
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of set) checkOption(`${option}.${name}` as OptionName, value);
  return { ...defaults, ...Object.fromEntries(set) };
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** As given, else as the environment says, else the default. */
function clientFor(given: unknown): ClientName {
  const client = given === undefined ? (clientFromEnvironment() ?? DEFAULT_CLIENT) : given;
  const names = oneOf(...CLIENT_NAMES);
  const from = `the environment variable ${CLIENT_VARIABLE}`;
  const remedy = given === undefined ? `Correct or unset ${from}.` : names.remedy;
  checkValue('client', client, { ...names, remedy });
  return client as ClientName;
}

function tlsOf(tls: unknown): TlsOptions | undefined {
  if (tls === undefined || tls === false) return undefined;
  if (tls === true) return {};
  if (isRecord(tls) && !isArray(tls)) return readOptions(tls as TlsOptions);
  throw new ZkLockConfigError(
    'tls',
    `must be a boolean or an object; got ${show(tls)}`,
    TLS_REMEDY,
  );
}

function aclFor(acl: AclName | undefined, user: User | undefined): AclName {
  if (acl === undefined) return user ? 'creator' : 'open';
  if (acl === 'open' || user) return acl;
  throw new ZkLockConfigError(
    'acl',
    "is 'creator', and there is no user to whom the nodes could be restricted",
    "Give `credentials`, or use 'open'.",
  );
}

/** Its values are never shown: any of them may be the password. */
function userOf(credentials: object): User {
  const remedy = 'Pass { username, password }, both non-empty strings, no ":" in the user name.';
  if (!isRecord(credentials)) {
    throw new ZkLockConfigError('credentials', 'must be an object', remedy);
  }
  const [username, password, scheme = 'digest'] = ['username', 'password', 'scheme'].map((name) =>
    readProperty(credentials, name),
  );
  if (typeof username !== 'string' || username === '' || username.includes(':')) {
    throw new ZkLockConfigError('credentials', 'has a missing or malformed username', remedy);
  }
  if (typeof password !== 'string' || password === '') {
    throw new ZkLockConfigError('credentials', 'has no password', remedy);
  }
  const names = oneOf(...USER_SCHEMES);
  if (names.accepts(scheme)) return new User(scheme as UserScheme, username, password);
  throw new ZkLockConfigError(
    'credentials',
    `must have the scheme ${names.expected}; got ${show(scheme)}`,
    names.remedy,
  );
}

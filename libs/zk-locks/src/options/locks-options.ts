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
import type { CohortOptions, CohortLimits } from '../cohort/cohort-options.js';
import { exposuresOf } from '../exposures.js';
import {
  DEFAULT_MAX_WAITING,
  type MaxWaiting,
  type MaxWaitingOptions,
} from '../grant/active-locks.js';
import type { ReleaseMode } from '../lock.js';
import type { DialectName } from '../queue/dialect.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { isArray, readOptions, readProperty, show, checkValue, oneOf } from './option.js';
import { checkOwnPath } from './semaphore-options.js';
import { checkOption, type OptionName, OPTIONS } from './table.js';

export interface LocksOptions {
  /**
   * ZooKeeper's connect string: `host1:2181,host2:2181/chroot`. The port is 2181 by default. All
   * addresses of each name are used, and each name is resolved again for every round of attempts.
   */
  servers: string;
  /**
   * How long the servers keep a silent session, in milliseconds. It bounds how long a dead process
   * blocks its locks, and how long a cut-off holder can go on.
   *
   * The servers may grant another value within their own limits (2 to 20 ticks by default); at most
   * four times this option is counted on. Start-up fails with a {@link ZkLockConfigError} if they
   * grant less than 0.77 × `tickTimeMs`.
   * @default 10000
   */
  sessionTimeoutMs?: number;
  /**
   * The longest wait for the first connection at start-up, in milliseconds. Also the longest wait for
   * the answers to `inspect`, `revoke` and `list`, and for the number of permits of a shared count.
   * @default 10000
   */
  connectTimeoutMs?: number;
  /**
   * The servers' `tickTime` in milliseconds. A larger value is safe; a loss is then told a little
   * sooner. A smaller value is not safe. Pass twice the servers' `tickTime` where sessions connect to
   * observers that follow a follower (`observerMasterPort`).
   * @default 2000
   */
  tickTimeMs?: number;
  /**
   * How long a node is looked for, and removed, after its creation was never answered, in
   * milliseconds. It must exceed the servers' `syncLimit × tickTime`: that long, a follower that was
   * cut off may still hand requests over to its leader. A node that appears later blocks its lock
   * until the session ends.
   * @default 300000
   */
  lateCreateTimeoutMs?: number;
  /**
   * The znode below which each key has its directory, relative to the chroot.
   * @default '/locks'
   */
  root?: string;
  /**
   * The longest wait for a lock, in milliseconds, for calls without `timeoutMs`.
   * @default 30000
   */
  acquireTimeoutMs?: number;
  /**
   * Whether `release()` waits for ZooKeeper's answer, for calls without `release`.
   * @default 'wait'
   */
  release?: ReleaseMode;
  /**
   * Serves several calls of this process under one znode. Calls that want the same key pass the lock
   * on in memory, up to `maxHandovers` times or for `maxTenureMs`, before other processes get their
   * turn. Readers share the znode. Pass `{}` for the default limits. With `keepMs`, the lock is kept for
   * so long after its last release, unless another process asks for it.
   * @default false
   */
  cohort?: CohortOptions | false;
  /**
   * How many calls of this process may wait for locks and permits at the same time, for one key and
   * in total. A call beyond that rejects at once with `LockQueueFullError`. Single tries
   * (`timeoutMs: 0`), reentrant calls and elections do not count.
   * @default { perKey: 1000, total: 10000 }
   */
  maxWaiting?: MaxWaitingOptions;
  /**
   * Whose node names are used, and so with which programs locks are shared. Must be the same in all
   * processes that use this root. `curator-mutex` has no read locks.
   * @default 'curator-rw'
   */
  dialect?: DialectName;
  /**
   * The name of this application, shown to people who look at the queue. At most 200 characters; it is
   * stored in clear text.
   * @default none
   */
  application?: string;
  /**
   * The ZooKeeper user of this process, authenticated on every connection. The scheme `digest` (the
   * default) sends the password. The scheme `sasl` (DIGEST-MD5) does not; the servers must be
   * configured for it.
   * @default none
   */
  credentials?: { username: string; password: string; scheme?: UserScheme };
  /**
   * Who may read and change the nodes that this process creates: every client (`open`), or only the
   * user of `credentials` (`creator`). The ACLs of existing directories are not changed.
   * @default 'creator' with `credentials`, else 'open'
   */
  acl?: AclName;
  /**
   * The ZooKeeper client. `wire` (zk-client) is plain JavaScript, works in every thread, and has TLS
   * and SASL. `native` (npm `zookeeper`) is a binding to Apache's C client, which the application has
   * to install. Without this option, the environment variable `NESTJS_ZK_LOCK_CLIENT` decides.
   * @default 'wire'
   */
  client?: ClientName;
  /**
   * Connects by TLS: `true`, or options of Node's `tls.connect()` such as `ca`, `cert` and `key`. The
   * servers' certificates must be valid for the names in `servers`.
   * @default false
   */
  tls?: boolean | TlsOptions;
}

/** Who may use the nodes that are created. */
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
  readonly cohort: CohortLimits | undefined;
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

const DEFAULT_COHORT: CohortLimits = { maxHandovers: 1_000, maxTenureMs: 100, keepMs: 0 };

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

import { checkPath } from './client/node-path.js';
import type { TlsOptions } from 'zk-client';
import {
  CLIENT_NAMES,
  CLIENT_VARIABLE,
  clientFromEnvironment,
  type ClientName,
  connectorFor,
  DEFAULT_CLIENT,
} from './client/client-name.js';
import type { ZooKeeperConnector } from './client/zookeeper-client.js';
import { parseConnectString, TLS_REMEDY, type ConnectString } from './client/connect-string.js';
import { User, USER_SCHEMES, type UserScheme } from './client/user.js';
import { ZkLockConfigError } from './zk-lock-error.js';
import {
  DEFAULT_MAX_WAITING,
  type MaxWaiting,
  type MaxWaitingOptions,
  resolveMaxWaiting,
} from './holding/waiting-calls.js';
import { type CohortOptions, resolveCohort, type TenureLimits } from './cohort/cohort-options.js';
import { exposuresOf } from './exposures.js';
import { isArray, readOptions, readProperty, show } from './given-options.js';
import { DIALECT_NAMES, type DialectName } from './queue/dialect.js';
import type { ReleaseMode } from './lock.js';
import { checkLabel, checkRelease, checkTimeout } from './queue/wait-options.js';

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
  if (!isRecord(given)) {
    throw new ZkLockConfigError('options', 'they are missing', 'Pass at least { servers }.');
  }
  const options = readOptions(given);
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    if (TLS_OPTIONS.includes(unknown.toLowerCase())) {
      throw new ZkLockConfigError(unknown, 'it asks for TLS', TLS_REMEDY);
    }
    const known = [...KNOWN, ...siblings].join(', ');
    throw new ZkLockConfigError(unknown, 'there is no such option', `Use ${known}.`);
  }
  const set = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as LocksOptions;
  const { servers, root, credentials, acl, dialect, release, cohort, maxWaiting, ...others } = {
    ...DEFAULTS,
    ...set,
  };
  const { application, client, tls: givenTls, ...times } = others;
  checkWholeMs('sessionTimeoutMs', times.sessionTimeoutMs);
  checkWholeMs('connectTimeoutMs', times.connectTimeoutMs);
  checkWholeMs('tickTimeMs', times.tickTimeMs);
  checkWholeMs('lateCreateTimeoutMs', times.lateCreateTimeoutMs);
  checkTimeout('acquireTimeoutMs', times.acquireTimeoutMs);
  checkRelease(release);
  checkDialect(dialect);
  if (application !== undefined) checkLabel('application', application);
  const connectString = parseConnectString(servers);
  const user = credentials === undefined ? undefined : checkCredentials(credentials);
  const tls = checkTls(givenTls);
  return {
    ...times,
    connectString,
    root: connectString.chroot + checkRoot(root),
    release,
    cohort: resolveCohort(cohort),
    maxWaiting: resolveMaxWaiting(maxWaiting),
    dialect,
    application,
    user,
    restrictsNodes: checkAcl(acl, user) === 'creator',
    connector: connectorFor(checkClient(client), {
      tls,
      needsSasl: user?.scheme === 'sasl',
      isFromEnvironment: client === undefined,
    }),
    exposures: exposuresOf(connectString, user, tls),
  };
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function checkWholeMs(option: string, value: unknown): void {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 0x7fffffff) {
    throw new ZkLockConfigError(
      option,
      `${show(value)} is no time span`,
      'Use a whole number of milliseconds from 1 to 2147483647.',
    );
  }
}

function checkDialect(dialect: unknown): void {
  if (DIALECT_NAMES.some((name) => name === dialect)) return;
  throw new ZkLockConfigError(
    'dialect',
    `${show(dialect)} is none`,
    `Use ${DIALECT_NAMES.map((name) => `'${name}'`).join(', ')}.`,
  );
}

function checkRoot(root: unknown): string {
  const remedy = 'Use an absolute path such as "/locks".';
  if (typeof root !== 'string') throw new ZkLockConfigError('root', 'it is no string', remedy);
  const problem = root === '/' ? '"/" would mix locks with other nodes' : checkPath(root);
  if (problem) throw new ZkLockConfigError('root', problem, remedy);
  if (/^\/zookeeper(\/|$)/.test(root)) {
    throw new ZkLockConfigError('root', '"/zookeeper" belongs to ZooKeeper itself', remedy);
  }
  return root;
}

/** As given, else as the environment says, else the default. */
function checkClient(given: unknown): ClientName {
  const isGiven = given !== undefined;
  const client = isGiven ? given : (clientFromEnvironment() ?? DEFAULT_CLIENT);
  const known = CLIENT_NAMES.find((name) => name === client);
  if (known !== undefined) return known;
  const where = isGiven ? '' : ` (from the environment variable ${CLIENT_VARIABLE})`;
  throw new ZkLockConfigError(
    'client',
    `${show(client)} is none${where}`,
    `Use ${CLIENT_NAMES.map((name) => `'${name}'`).join(' or ')}.`,
  );
}

function checkTls(tls: unknown): TlsOptions | undefined {
  if (tls === undefined || tls === false) return undefined;
  if (tls === true) return {};
  if (isRecord(tls) && !isArray(tls)) return readOptions(tls as TlsOptions);
  throw new ZkLockConfigError('tls', `${show(tls)} is not what it can be`, TLS_REMEDY);
}

function checkAcl(acl: unknown, user: User | undefined): AclName {
  if (acl === undefined) return user ? 'creator' : 'open';
  if (acl !== 'open' && acl !== 'creator') {
    throw new ZkLockConfigError('acl', `${show(acl)} is none`, "Use 'open' or 'creator'.");
  }
  if (acl === 'creator' && !user) {
    throw new ZkLockConfigError(
      'acl',
      "'creator' needs a user to whom the nodes are restricted",
      "Give `credentials`, or use 'open'.",
    );
  }
  return acl;
}

function checkCredentials(credentials: object): User {
  const remedy = 'Pass { username, password }, both non-empty strings, no ":" in the user name.';
  if (!isRecord(credentials)) {
    throw new ZkLockConfigError('credentials', 'they are no object', remedy);
  }
  const [username, password, scheme = 'digest'] = ['username', 'password', 'scheme'].map((name) =>
    readProperty(credentials, name),
  );
  if (typeof username !== 'string' || username === '' || username.includes(':')) {
    throw new ZkLockConfigError('credentials', 'its username is missing or malformed', remedy);
  }
  if (typeof password !== 'string' || password === '') {
    throw new ZkLockConfigError('credentials', 'its password is missing', remedy);
  }
  const known = USER_SCHEMES.find((name) => name === scheme);
  if (known === undefined) {
    throw new ZkLockConfigError(
      'credentials',
      `the scheme ${show(scheme)} is none`,
      `Use ${USER_SCHEMES.map((name) => `'${name}'`).join(' or ')}.`,
    );
  }
  return new User(known, username, password);
}

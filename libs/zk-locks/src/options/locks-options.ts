import type { TlsOptions } from 'zk-client';
import {
  CLIENT_VARIABLE,
  clientFromEnvironment,
  type ClientName,
  connectorFor,
  DEFAULT_CLIENT,
} from './client-name.js';
import {
  type AclName,
  checkValue,
  type Hints,
  object,
  readChecked,
  type ResolvedConnection,
  resolveConnection,
  type Schema,
  SESSION_DEFAULTS,
  type SessionSettings,
  TLS_HINTS,
  type User,
  type ZooKeeperConnector,
} from 'zk-client/recipes';
import type { CohortOptions, CohortLimits } from './cohort-options.js';
import { DEFAULT_MAX_WAITING, type MaxWaiting, type MaxWaitingOptions } from './limits.js';
import type { ReleaseMode } from '../lock/lock.js';
import type { DialectName } from '../nodes/dialect.js';
import { checkOption, CONNECTION, OPTIONS, readParts } from './table.js';

export interface LocksOptions extends SessionSettings {
  /**
   * How long a node is looked for, and removed, after its creation was never answered, in
   * milliseconds. It must exceed the servers' `syncLimit × tickTime`: that long, a follower that was
   * cut off may still hand requests over to its leader. A node that appears later stays until the
   * session ends, and blocks its lock.
   * @default 300000
   */
  lateCreateTimeoutMs?: number;
  /**
   * How long before the lease deadline all locks and permits of this connection count as lost, in
   * milliseconds: `signal` aborts and `isHeld` ends so much earlier, while ZooKeeper still keeps the lock
   * for this process. Work has this time to stop, and to kill its child processes. Refused with a
   * {@link ZkLockConfigError} where it exceeds 0.65 × the granted session timeout − `tickTimeMs` / 2
   * (5,500 ms with the defaults), at start-up and at each reconnect.
   * @default 0
   */
  marginMs?: number;
  /**
   * How long calls wait for a connection at most, in milliseconds: once the session has not been connected
   * for so long, calls for locks, permits and `inspect` are refused at once with a
   * {@link ZooKeeperUnavailableError}, and those that wait are ended, whatever their `timeoutMs`. Locks
   * that are held, releases and elections go on.
   * @default none: calls wait out their timeouts
   */
  failFastAfterMs?: number;
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
   * Warns once of each pair of keys (or of their patterns) that this process takes inside each other in
   * both orders, with the places in the code: such calls can wait for each other until they time out.
   * @default true, unless the environment variable `NODE_ENV` is `production`
   */
  warnNesting?: boolean;
  /**
   * Whose node names are used, and so with which programs locks are shared. Must be the same in all
   * processes that use this root. `curator-mutex` and `single-node` have no read locks. `single-node` is
   * not fair, wakes all waiters at each release, and needs the client `wire`: only for sharing locks with
   * programs that have such a lock.
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
   * The ZooKeeper client. `wire` (zk-client) is plain JavaScript, works in every thread, and has TLS
   * and SASL. `native` (npm `zookeeper`) is a binding to Apache's C client, which the application has
   * to install. Without this option, the environment variable `ZK_LOCKS_CLIENT` decides.
   * @default 'wire'
   */
  client?: ClientName;
}

export interface ResolvedLocksOptions extends ResolvedConnection {
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly tickTimeMs: number;
  readonly lateCreateTimeoutMs: number;
  readonly marginMs: number;
  readonly failFastAfterMs: number | undefined;
  /** With the chroot. */
  readonly root: string;
  readonly acquireTimeoutMs: number;
  readonly release: ReleaseMode;
  readonly cohort: CohortLimits | undefined;
  readonly maxWaiting: MaxWaiting;
  readonly warnNesting: boolean;
  readonly dialect: DialectName;
  readonly application: string | undefined;
}

const DEFAULTS = {
  ...SESSION_DEFAULTS,
  lateCreateTimeoutMs: 300_000,
  marginMs: 0,
  root: '/locks',
  acquireTimeoutMs: 30_000,
  release: 'wait',
  cohort: false,
  maxWaiting: DEFAULT_MAX_WAITING,
  dialect: 'curator-rw',
} as const;

const DEFAULT_COHORT: CohortLimits = { maxHandovers: 1_000, maxTenureMs: 100, keepMs: 0 };

const LOCKS: Schema<LocksOptions> = CONNECTION;

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {ZkLockConfigError} naming the option at fault
 */
export function resolveLocksOptions(given: LocksOptions): ResolvedLocksOptions {
  const { servers, root, credentials, acl, client, tls, cohort, maxWaiting, ...others } = {
    ...DEFAULTS,
    ...readLocksOptions(given),
  };
  const { dialect } = others;
  const connection = resolveConnection({ servers, credentials, acl, tls }, (tlsOptions, user) =>
    connectorOf(client, { dialect, tls: tlsOptions, user, acl }),
  );
  checkValue('cohort', cohort, {
    expected: "false with the dialect 'single-node', whose one node serves one call",
    accepts: (value) => value === false || dialect !== 'single-node',
    remedy: 'Leave it out, or use another dialect in all processes.',
  });
  return {
    application: undefined,
    warnNesting: process.env.NODE_ENV !== 'production',
    failFastAfterMs: undefined,
    ...others,
    ...connection,
    root: connection.connectString.chroot + root,
    cohort:
      cohort === false
        ? undefined
        : { ...DEFAULT_COHORT, ...readParts('cohort', cohort as Partial<CohortLimits>) },
    maxWaiting: {
      ...DEFAULT_MAX_WAITING,
      ...readParts('maxWaiting', maxWaiting as Partial<MaxWaiting>),
    },
  };
}

/**
 * The options that are set, each of which can be used by itself.
 *
 * @param more checks of options that stand beside them
 * @throws {ZkLockConfigError} naming the option at fault
 */
export function readLocksOptions<T extends LocksOptions>(
  given: T,
  more?: Schema<Omit<T, keyof LocksOptions>>,
  hints: Hints = {},
): T {
  checkValue('options', given, object('Pass at least { servers }.'));
  const schema = { ...LOCKS, ...more } as Schema<T>;
  const options = readChecked(given, schema, { hints: { ...TLS_HINTS, ...hints } });
  checkOption('servers', options.servers);
  return options;
}

/** What not every client can do. */
interface Demands {
  readonly dialect: DialectName;
  readonly tls: TlsOptions | undefined;
  readonly user: User | undefined;
  readonly acl: AclName | undefined;
}

/** Of the client that is given, else that of the environment, else the default. */
function connectorOf(
  given: ClientName | undefined,
  { dialect, tls, user, acl }: Demands,
): ZooKeeperConnector {
  const fromEnvironment = given === undefined ? clientFromEnvironment() : undefined;
  if (fromEnvironment !== undefined) {
    const remedy = `Correct or unset the environment variable ${CLIENT_VARIABLE}.`;
    checkValue('client', fromEnvironment, { ...OPTIONS.client, remedy });
  }
  const client = (given ?? fromEnvironment ?? DEFAULT_CLIENT) as ClientName;
  const isWire = client === 'wire';
  const useWire =
    fromEnvironment === undefined
      ? "Use `client: 'wire'`, or none"
      : `Unset the environment variable ${CLIENT_VARIABLE}, which says 'native'`;
  checkValue('tls', tls, {
    expected: 'left out with the npm package `zookeeper`, which has no TLS',
    accepts: () => isWire || tls === undefined,
    finding: () => undefined,
    remedy: `${useWire}; or connect to a stunnel on 127.0.0.1: docs/security.md of nestjs-zk-lock has its configuration.`,
  });
  checkValue('credentials.scheme', user?.scheme, {
    expected: "'digest' with the npm package `zookeeper`, which has no SASL",
    accepts: (scheme) => isWire || scheme !== 'sasl',
    remedy: `${useWire}; or use the scheme 'digest'.`,
  });
  checkValue('acl', acl ?? (user && 'creator'), {
    expected:
      "'open' with the npm package `zookeeper`, which can create no node for one user alone",
    accepts: (name) => isWire || name !== 'creator',
    finding: (name) => `got '${String(name)}'${acl ? '' : ', the default with `credentials`'}`,
    remedy: `${useWire}; or accept by \`acl: 'open'\` that every client may read, change and delete the nodes.`,
  });
  checkValue('dialect', dialect, {
    expected: 'that of a queue with the npm package `zookeeper`, which has no transactions',
    accepts: () => isWire || dialect !== 'single-node',
    remedy: `${useWire}; or use another dialect in all processes.`,
  });
  return connectorFor(client, tls);
}

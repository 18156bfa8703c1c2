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
   * How long, in milliseconds, a node is searched for and removed after the answer to its creation
   * was lost. It must exceed the servers' `syncLimit × tickTime`: a follower that was cut off can
   * forward requests to its leader for that long. A node that appears later stays until the session
   * ends, and blocks its lock.
   * @default 300000
   */
  lateCreateTimeoutMs?: number | undefined;
  /**
   * How long before the lease deadline all locks and permits of this connection count as lost, in
   * milliseconds: `signal` aborts and `isHeld` turns false earlier by this time, while ZooKeeper
   * still keeps the lock for this process. Work can use this time to stop, and to kill its child
   * processes. A value above 0.6 × the granted session timeout − `tickTimeMs` / 2 (5,000 ms with
   * the defaults) is refused with a {@link ZkLockConfigError}, at start-up and at each reconnect.
   * @default 0
   */
  marginMs?: number | undefined;
  /**
   * The longest time that calls wait for a connection, in milliseconds. Once the session has been
   * disconnected for this long, calls for locks and permits, and questions about them (`inspect`,
   * `list`, `deadlocks`, `revoke`, `breakLock`, `lastRun`, `setPermits`), are refused immediately with
   * a {@link ZooKeeperUnavailableError}, and waiting calls are ended, whatever their `timeoutMs`.
   * Locks already held, releases and elections continue.
   * @default none: calls wait until their own timeouts
   */
  failFastAfterMs?: number | undefined;
  /**
   * The znode under which each key has its directory, relative to the chroot.
   * @default '/locks'
   */
  root?: string | undefined;
  /**
   * The longest wait for a lock, in milliseconds, for calls without `timeoutMs`.
   * @default 30000
   */
  acquireTimeoutMs?: number | undefined;
  /**
   * Whether `release()` waits for ZooKeeper's answer, for calls without `release`.
   * @default 'wait'
   */
  release?: ReleaseMode | undefined;
  /**
   * Serves several calls of this process under one znode. Calls that want the same key pass the
   * lock on in memory, up to `maxHandovers` times or for `maxTenureMs`, before other processes get
   * their turn. Readers share the znode. Pass `{}` for the default limits. With `keepMs`, the lock
   * is kept for that long after its last release, unless another process asks for it.
   * @default false
   */
  cohort?: CohortOptions | false | undefined;
  /**
   * How many calls of this process may wait for locks and permits at the same time, for each key
   * and in total. A call beyond that rejects immediately with `LockQueueFullError`. Single tries
   * (`timeoutMs: 0`), reentrant calls, upgrades and elections do not count.
   * @default { perKey: 1000, total: 10000 }
   */
  maxWaiting?: MaxWaitingOptions | undefined;
  /**
   * Warns once about each pair of keys (or of their patterns) that this process takes inside each
   * other in both orders, and names the places in the code. Such calls can wait for each other
   * until they time out.
   * @default true, unless the environment variable `NODE_ENV` is `production`
   */
  warnNesting?: boolean | undefined;
  /**
   * Which node names are used, and therefore which programs the locks are shared with. All
   * processes that use this root must have the same dialect. `curator-mutex` and `single-node` have
   * no read locks. `single-node` is not fair, wakes all waiters at each release, and requires the
   * client `wire`; use it only to share locks with programs that have such a lock.
   * @default 'curator-rw'
   */
  dialect?: DialectName | undefined;
  /**
   * The name of this application, shown to people who inspect the queue. At most 200 characters,
   * stored in clear text.
   * @default none
   */
  application?: string | undefined;
  /**
   * The ZooKeeper client. `wire` (zk-client) is plain JavaScript, works in every thread, and
   * supports TLS and SASL. `native` (npm `zookeeper`) is a binding to Apache's C client, which your
   * application has to install. Without this option, the environment variable `ZK_LOCKS_CLIENT`
   * decides.
   * @default 'wire'
   */
  client?: ClientName | undefined;
}

export interface ResolvedLocksOptions extends ResolvedConnection {
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly tickTimeMs: number;
  readonly lateCreateTimeoutMs: number;
  readonly marginMs: number;
  readonly failFastAfterMs: number | undefined;
  /** Includes the chroot. */
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

const ARGUMENT_HINTS: Hints = {
  logger: {
    problem: 'is not an option',
    remedy: 'Pass it as the second argument, as in new Locks(options, logger).',
  },
};

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {ZkLockConfigError} naming the option at fault
 */
export function resolveLocksOptions(given: LocksOptions): ResolvedLocksOptions {
  const { servers, root, credentials, acl, client, tls, cohort, maxWaiting, ...others } = {
    ...DEFAULTS,
    ...readLocksOptions(given, undefined, ARGUMENT_HINTS),
  };
  const { dialect } = others;
  const connection = resolveConnection({ servers, credentials, acl, tls }, (tlsOptions, user) =>
    connectorOf(client, { dialect, tls: tlsOptions, user, acl }),
  );
  checkValue('cohort', cohort, {
    expected: "false with the dialect 'single-node', whose single node serves one call",
    accepts: (value) => value === false || dialect !== 'single-node',
    remedy: 'Omit it, or use another dialect in all processes.',
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
 * Returns the options that are set, each checked by itself.
 *
 * @param more checks of options of the caller's own
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

/** Features that not every client has. */
interface Demands {
  readonly dialect: DialectName;
  readonly tls: TlsOptions | undefined;
  readonly user: User | undefined;
  readonly acl: AclName | undefined;
}

/** Uses the client that is given, otherwise that of the environment, otherwise the default. */
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
      ? "Use `client: 'wire'`, or omit it"
      : `Unset the environment variable ${CLIENT_VARIABLE}, which says 'native'`;
  checkValue('tls', tls, {
    expected: 'omitted with the npm package `zookeeper`, which does not support TLS',
    accepts: () => isWire || tls === undefined,
    finding: () => undefined,
    remedy: `${useWire}; or connect through a stunnel on 127.0.0.1: docs/security.md of nestjs-zk-lock has its configuration.`,
  });
  checkValue('credentials.scheme', user?.scheme, {
    expected: "'digest' with the npm package `zookeeper`, which does not support SASL",
    accepts: (scheme) => isWire || scheme !== 'sasl',
    remedy: `${useWire}; or use the scheme 'digest'.`,
  });
  checkValue('acl', acl ?? (user && 'creator'), {
    expected:
      "'open' with the npm package `zookeeper`, which cannot create nodes for a single user",
    accepts: (name) => isWire || name !== 'creator',
    finding: (name) => `got '${String(name)}'${acl ? '' : ', the default with `credentials`'}`,
    remedy: `${useWire}; or set \`acl: 'open'\`, which lets every client read, change and delete the nodes.`,
  });
  checkValue('dialect', dialect, {
    expected: 'another dialect with the npm package `zookeeper`, which has no transactions',
    accepts: () => isWire || dialect !== 'single-node',
    remedy: `${useWire}; or use another dialect in all processes.`,
  });
  return connectorFor(client, tls);
}

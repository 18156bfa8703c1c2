import { createSecureContext } from 'node:tls';
import type { TlsOptions } from '../connection/channel/open-socket.js';
import { type ConnectString, parseConnectString } from '../port/connect-string.js';
import { User, type UserScheme } from '../port/user.js';
import type { ZooKeeperConnector } from '../port/zookeeper-client.js';
import { exposuresOf } from './exposures.js';
import { attempt, checkValue, readOptions } from '../option.js';
import { checkOption, OPTIONS, readParts } from './table.js';

/** The clients that may use newly created nodes. */
export type AclName = 'open' | 'creator';

interface Credentials {
  username: string;
  password: string;
  scheme?: UserScheme | undefined;
}

/** The options of a session with the ZooKeeper servers. */
export interface SessionSettings {
  /**
   * ZooKeeper's connect string: `host1:2181,host2:2181/chroot`. The default port is 2181. All
   * addresses of each name are used, and each name is resolved again for every round of attempts.
   */
  servers: string;
  /**
   * How long the servers keep a silent session, in milliseconds. It limits how long a dead process
   * blocks its locks and keeps its ephemeral znodes, and how long a holder can continue after it
   * was cut off.
   *
   * The servers may grant another value within their own limits (2 to 20 ticks by default); at most
   * four times this option is relied on. Start-up fails with a {@link ZkLockConfigError} if they
   * grant less than 0.77 × `tickTimeMs`.
   * @default 10000
   */
  sessionTimeoutMs?: number | undefined;
  /**
   * The longest wait for the first connection at start-up, in milliseconds. Also the longest wait for
   * the answer to a call that has no `timeoutMs`.
   * @default 10000
   */
  connectTimeoutMs?: number | undefined;
  /**
   * The servers' `tickTime` in milliseconds. A larger value is safe; losses are then reported a
   * little sooner. A smaller value is not safe. Pass twice the servers' `tickTime` if sessions
   * connect to observers that follow a follower (`observerMasterPort`).
   * @default 2000
   */
  tickTimeMs?: number | undefined;
  /**
   * The ZooKeeper user of this process, authenticated on every connection. The scheme `digest` (the
   * default) sends the password. The scheme `sasl` (DIGEST-MD5) does not; the servers must be
   * configured for it.
   * @default none
   */
  credentials?: Credentials | undefined;
  /**
   * Who may read and change the nodes that this process creates: every client (`open`), or only the
   * user of `credentials` (`creator`). The ACLs of existing directories are not changed. npm
   * `zookeeper` cannot create nodes with an ACL; with it, `credentials` require `acl: 'open'`.
   * @default 'creator' with `credentials`, otherwise 'open'
   */
  acl?: AclName | undefined;
  /**
   * Connects with TLS: `true`, or options of Node's `tls.connect()` such as `ca`, `cert` and `key`.
   * The servers' certificates must be valid for the names in `servers`.
   * @default false
   */
  tls?: boolean | TlsOptions | undefined;
}

export const SESSION_DEFAULTS = {
  sessionTimeoutMs: 10_000,
  connectTimeoutMs: 10_000,
  tickTimeMs: 2_000,
} as const;

/** The servers to connect to, and the user. */
export interface ResolvedConnection {
  readonly connectString: ConnectString;
  readonly user: User | undefined;
  /** Whether it presents a certificate of its own to the servers. */
  readonly hasCertificate: boolean;
  /** Whether its nodes are restricted to `user`. */
  readonly restrictsNodes: boolean;
  readonly connector: ZooKeeperConnector;
  /** The parts of the connection that are exposed to the network, for the log. */
  readonly exposures: readonly string[];
}

/**
 * Checks the options of the servers and the user.
 *
 * @param connectorOf may refuse TLS or the user
 * @throws {ZkLockConfigError} naming the option at fault
 */
export function resolveConnection(
  { servers, credentials, acl, tls }: SessionSettings,
  connectorOf: (tls: TlsOptions | undefined, user: User | undefined) => ZooKeeperConnector,
): ResolvedConnection {
  const connectString = parseConnectString(servers);
  const user = credentials && userOf(credentials);
  const tlsOptions = tls === undefined || tls === false ? undefined : tlsOf(tls);
  checkValue('acl', acl ?? 'open', {
    expected:
      "'open' without `credentials`, because there is no user to whom nodes could be restricted",
    accepts: (name) => name === 'open' || user !== undefined,
    remedy: "Pass `credentials`, or use 'open'.",
  });
  return {
    connectString,
    user,
    hasCertificate: tlsOptions?.cert !== undefined || tlsOptions?.pfx !== undefined,
    restrictsNodes: user !== undefined && acl !== 'open',
    connector: connectorOf(tlsOptions, user),
    exposures: exposuresOf(connectString, user, tlsOptions),
  };
}

/** Other names for TLS that users may try. */
export const TLS_HINTS = Object.fromEntries(
  ['ssl', 'usetls', 'usessl', 'secure', 'ca', 'cert'].map((name) => [
    name,
    { problem: 'asks for TLS', remedy: OPTIONS.tls.remedy },
  ]),
);

/**
 * Reads certificates and keys once, so that malformed ones are refused before anything is started.
 */
function tlsOf(given: true | TlsOptions): TlsOptions {
  const tls = given === true ? {} : readOptions(given);
  const secureContext = attempt(
    'tls',
    () => tls.secureContext ?? createSecureContext(tls),
    (cause) => `has certificates or keys that cannot be read (${(cause as Error).message})`,
    'Pass `ca`, `cert` and `key` in PEM format, as strings or buffers.',
  );
  return { ...tls, secureContext };
}

function userOf(given: Credentials): User {
  const { username, password, scheme = 'digest' } = readParts('credentials', given);
  checkOption('credentials.username', username);
  checkOption('credentials.password', password);
  return new User(scheme, username, password);
}

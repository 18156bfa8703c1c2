import { setTimeout as sleep } from 'node:timers/promises';
import { hasReturnCode, ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { type ConnectString, formatAddress } from '../port/connect-string.js';
import { resolveServers } from '../port/resolve-servers.js';
import type { User } from '../port/user.js';
import type {
  ClientListener,
  ServerAddress,
  ZooKeeperClient,
  ZooKeeperConnector,
} from '../port/zookeeper-client.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { isHidden } from './access.js';
import { pauseIfThrottled } from './backoff.js';
import type { Clock } from './clock.js';
import { ConnectPatience, longestAttemptMs } from './connect-patience.js';
import { SessionLease } from './session-lease.js';
import { refuseLongMargin, shortestTimeoutMs } from './lease-deadline.js';
import { untilAborted } from './until-aborted.js';
import { clearTimeout, setTimeout } from '../real-time.js';

export interface SessionOptions {
  readonly connectString: ConnectString;
  readonly sessionTimeoutMs: number;
  readonly tickTimeMs: number;
  /** How long before the lease deadline locks are lost. */
  readonly marginMs?: number;
  readonly user?: User | undefined;
  /** Whether the nodes that this session creates are restricted to `user`. */
  readonly restrictsNodes?: boolean;
  /** Whether it presents a certificate of its own to the servers. */
  readonly hasCertificate?: boolean;
  /** The node below which nodes are restricted, with the chroot. */
  readonly root?: string;
  readonly connector: ZooKeeperConnector;
  /** Whether anything depends on the session's life now; otherwise, a cheaper heartbeat is used. */
  readonly isInUse: () => boolean;
  readonly clock?: Clock;
}

export interface AttachedSession {
  readonly client: ZooKeeperClient;
  readonly lease: SessionLease;
  /** The server as it is configured, by name or address. */
  readonly configuredServer: string;
  /** Whether outsiders could write to the root; undefined if that was not found out. */
  readonly isRootOpen: boolean | undefined;
  /** Whether this client may not read the root; undefined if it was not read. */
  readonly isRootHidden: boolean | undefined;
}

/** A version that no node has. */
const NO_SUCH_VERSION = 0x7fffffff;

/** It takes two attempts to close a session and to confirm that it is closed. */
const END_ATTEMPTS = 4;

/** How long to wait for new addresses if others are known, as a fraction of the session timeout. */
const RESOLVER_WAIT = 1 / 6;

const ignoreEvents: ClientListener = { onNode: () => undefined, onEnd: () => undefined };

/**
 * Connects to the servers in turn, one attempt at a time: to attach a live session, to begin a new
 * one, or to end one that was given up here.
 */
export class SessionAttacher {
  #resolved: ServerAddress[] = [];
  #resolving: Promise<void> | undefined;
  #untried: ServerAddress[] = [];
  /** In this round: every server once. After a connection, the first round leaves its server out if that has a name. */
  #tried = new Set<string>();
  #wasAttached = false;
  readonly #patience = new ConnectPatience();
  #orphan: SessionLease | undefined;
  /**
   * Servers that enforce authentication (ZooKeeper 3.7) close a connection that sends a request
   * before it logs in.
   */
  #answersOutsiders = true;
  /** Undefined until a root exists and a server has answered. */
  #isRootOpen: boolean | undefined;

  /** @param over see {@link ConnectRequest} */
  constructor(
    private readonly options: SessionOptions,
    private readonly clock: Clock,
    private readonly over?: AbortSignal,
  ) {}

  /** The session of a lease that is over here may still live on the server, with its nodes. */
  orphaned(lease: SessionLease): void {
    this.#orphan = lease;
  }

  /**
   * Makes one attempt to attach the session of `lease`, or to begin a new one if there is no
   * session. Ends the lease, and throws, when the server says that its session has ended.
   */
  async attach(
    lease: SessionLease | undefined,
    listener: ClientListener,
  ): Promise<AttachedSession> {
    if (this.#wasAttached) this.#renewAddresses();
    const endIfExpired = (error: unknown): never => {
      if (hasReturnCode(error, ReturnCode.sessionExpired)) lease?.end('session-expired');
      throw error;
    };
    const connecting = this.#connect(lease, listener);
    const { client, address, sentAt } = await connecting.catch(endIfExpired);
    lease?.connecting(sentAt, client.sessionTimeoutMs);
    const limit = abandonAfter(client);
    try {
      this.#checkTimeout(client, lease);
      const begun = lease ?? this.#newLease(client, sentAt);
      const prove = async (): Promise<void> => {
        const provedAt = this.clock.now();
        await client.proveSession();
        // On a new connection of a known session, answers count only once that is attached.
        if (!lease) begun.answered(provedAt, { isProof: true });
      };
      this.#isRootOpen ??= await this.#mayOutsidersWrite(client, lease).catch(endIfExpired);
      const isRootOpen = this.#isRootOpen;
      await this.#logIn(client).catch(endIfExpired);
      // The new server may lag behind what this session has seen, or have lost its leader.
      const proof = onceNotThrottled(prove, lease).catch(endIfExpired);
      // Sent together, so that it costs no time, and executed after the first proof, so that it is up to
      // date.
      const { root } = this.options;
      const hidden = root === undefined ? undefined : isHidden(client.get(root));
      const [isRootHidden] = await Promise.all([hidden, proof]);
      // A server may know the end of another session later. After a transaction, it shows none of its nodes.
      if (await this.#endOrphan(address)) await onceNotThrottled(prove, lease);
      this.#tried = new Set([client.server]);
      this.#wasAttached = true;
      const { host, port, name = host } = address;
      const configuredServer = formatAddress({ host: name, port });
      if (lease && !lease.lossReason) lease.reattached(sentAt, client.sessionTimeoutMs);
      if (!begun.isValid()) {
        // It ended while the connection was made.
        throw new ZooKeeperError(ReturnCode.sessionExpired, 'connect', client.server);
      }
      return { client, lease: begun, configuredServer, isRootOpen, isRootHidden };
    } catch (error) {
      if (lease && !lease.lossReason) client.abandon();
      else await client.close();
      throw error;
    } finally {
      clearTimeout(limit);
    }
  }

  /** @throws {ZkLockConfigError} when the lease of such a session would be too short */
  #checkTimeout(client: ZooKeeperClient, lease: SessionLease | undefined): void {
    try {
      // The servers' limits decide what is granted, so only the granted timeout is judged.
      this.#refuseShort(lease?.timeoutMs ?? client.sessionTimeoutMs);
    } catch (error) {
      lease?.end('session-too-short');
      throw error;
    }
  }

  #refuseShort(timeoutMs: number): void {
    const { tickTimeMs, marginMs = 0 } = this.options;
    const shortest = shortestTimeoutMs(tickTimeMs);
    if (timeoutMs >= shortest) return refuseLongMargin(marginMs, timeoutMs, tickTimeMs);
    throw new ZkLockConfigError(
      'sessionTimeoutMs',
      `is too short: ZooKeeper granted a session of ${timeoutMs} ms, and with a \`tickTimeMs\` of ${tickTimeMs} ms, a loss could be reported too late`,
      `Raise \`sessionTimeoutMs\`, and \`maxSessionTimeout\` on the servers, to ${shortest} or more; or set \`tickTimeMs\` to the servers' \`tickTime\` if that is smaller.`,
    );
  }

  /** Asked before the connection logs in, while it has only the rights of an outsider. */
  async #mayOutsidersWrite(
    client: ZooKeeperClient,
    lease: SessionLease | undefined,
  ): Promise<boolean | undefined> {
    const { root, restrictsNodes } = this.options;
    if (root === undefined || !restrictsNodes || !this.#answersOutsiders) return undefined;
    try {
      return await onceNotThrottled(() => mayWrite(client, root), lease);
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) return undefined;
      if (hasReturnCode(error, ReturnCode.sessionClosedRequireSaslAuth))
        this.#answersOutsiders = false;
      throw error;
    }
  }

  async #logIn(client: ZooKeeperClient): Promise<void> {
    const { user } = this.options;
    if (user) await client.logIn(user);
  }

  /** Ends the session that was given up and still lives; stops when `stop` aborts. */
  async endOrphaned(stop: AbortSignal): Promise<void> {
    if (this.#orphan) await this.endSession(this.#orphan, stop);
  }

  /**
   * Also runs while the service closes: otherwise, the locks would outlive it by a session timeout.
   * Runs only after a server has answered: if requests arrive and answers do not, every attempt to
   * attach the given-up session would keep it, and its locks, alive on the server. It is ended on that
   * server, because another one may be down.
   *
   * @returns whether there was one
   */
  async #endOrphan(address: ServerAddress): Promise<boolean> {
    if (!this.#orphan) return false;
    await this.#endOnce(this.#orphan, { address });
    this.#orphan = undefined;
    return true;
  }

  /** Ends the session of `lease` on the server; gives up when `stop` aborts. */
  async endSession(lease: SessionLease, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const hasEnded = await this.#endOnce(lease, { stop }).then(
        () => true,
        () => false,
      );
      if (hasEnded) return;
      await sleep(20, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  #newLease({ session, sessionTimeoutMs }: ZooKeeperClient, sentAt: number): SessionLease {
    const { tickTimeMs, marginMs } = this.options;
    return new SessionLease(session, sessionTimeoutMs, tickTimeMs, this.clock, sentAt, marginMs);
  }

  /**
   * Ends the session of `lease` on the server. Returns when the server has confirmed that it is
   * gone: closing it takes one request, and the confirmation another.
   */
  async #endOnce(
    lease: SessionLease,
    { address, stop }: { readonly address?: ServerAddress; readonly stop?: AbortSignal },
  ): Promise<void> {
    try {
      for (let attempt = 0; attempt < END_ATTEMPTS && !stop?.aborted; attempt++) {
        const { client } = await this.#connect(lease, ignoreEvents, address);
        const limit = abandonAfter(client);
        try {
          await this.#logIn(client);
          await client.close();
        } catch (error) {
          client.abandon();
          throw error;
        } finally {
          clearTimeout(limit);
        }
      }
      throw new ZooKeeperError(ReturnCode.operationTimeout, 'close', 'session');
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.sessionExpired)) throw error;
    }
  }

  async #connect(
    lease: SessionLease | undefined,
    listener: ClientListener,
    known?: ServerAddress,
  ): Promise<{ client: ZooKeeperClient; address: ServerAddress; sentAt: number }> {
    const { connector } = this.options;
    const address = known ?? (await this.#nextAddress());
    // A longer timeout would not count, and would keep the locks of a lost session from others.
    const sessionTimeoutMs = Math.min(
      this.options.sessionTimeoutMs,
      lease?.timeoutMs ?? Number.POSITIVE_INFINITY,
    );
    const sentAt = this.clock.now();
    try {
      const client = await connector.connect({
        address,
        session: lease?.credentials,
        sessionTimeoutMs,
        connectTimeoutMs: lease
          ? this.#patience.limitMs(sessionTimeoutMs)
          : longestAttemptMs(sessionTimeoutMs),
        listener,
        over: this.over,
      });
      this.#patience.answered(this.clock.now() - sentAt);
      return { client, address, sentAt };
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.operationTimeout)) this.#patience.hung();
      throw error;
    }
  }

  /** Every server once a round, in random order, before the names are resolved again. */
  async #nextAddress(): Promise<ServerAddress> {
    if (this.#untried.length === 0) await this.#resolve();
    if (this.#untried.length === 0) {
      this.#tried.clear();
      this.#untried = [...this.#resolved];
    }
    const next = this.#untried.shift();
    if (!next) throw new Error('no server addresses');
    this.#tried.add(formatAddress(next));
    return next;
  }

  /**
   * The servers may have moved, one after the other, since the names were resolved. Attempts at
   * addresses without a server would cost the session.
   */
  #renewAddresses(): void {
    this.#wasAttached = false;
    if (this.#resolved.every(({ name }) => name === undefined)) return;
    const onRenewed = (): void => {
      this.#untried = this.#resolved.filter((address) => !this.#tried.has(formatAddress(address)));
    };
    this.#lookUp().then(onRenewed, () => undefined);
  }

  /** Does not wait long if addresses are known: a slow resolver must not cost the session. */
  async #resolve(): Promise<void> {
    const resolving = this.#lookUp();
    if (this.#resolved.length === 0) return resolving;
    const timeout = AbortSignal.timeout(Math.ceil(this.options.sessionTimeoutMs * RESOLVER_WAIT));
    await untilAborted(timeout, resolving).catch(() => undefined);
  }

  #lookUp(): Promise<void> {
    this.#resolving ??= resolveServers(this.options.connectString.servers)
      .then((found) => void (this.#resolved = found))
      .finally(() => (this.#resolving = undefined));
    return this.#resolving;
  }
}

/**
 * Answers that take as long as a session prove nothing any more. The connection itself does not end
 * while anything arrives, such as answers to pings alone.
 */
function abandonAfter(client: ZooKeeperClient): NodeJS.Timeout {
  return setTimeout(() => client.abandon(), client.sessionTimeoutMs).unref();
}

/**
 * Whether this client may write to a node. Tested with a write that expects a version which no node
 * has.
 */
async function mayWrite(client: ZooKeeperClient, path: string): Promise<boolean> {
  try {
    // The server checks the ACL first, then a quota, and then the version.
    await client.set(path, Buffer.alloc(0), { version: NO_SUCH_VERSION });
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noAuth)) return false;
    if (!ONLY_IF_PERMITTED.some((code) => hasReturnCode(error, code))) throw error;
  }
  return true;
}

const ONLY_IF_PERMITTED = [ReturnCode.badVersion, ReturnCode.quotaExceeded];

/**
 * Servers are busy after a restart, when many clients connect at once.
 *
 * @param lease once it is over, nothing is sent again: each request keeps its session alive on the server
 */
async function onceNotThrottled<T>(
  send: () => Promise<T>,
  lease: SessionLease | undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      await pauseIfThrottled(error, attempt);
      if (lease?.lossReason) throw error;
    }
  }
}

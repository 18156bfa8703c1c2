import { hasReturnCode, ReturnCode, ZooKeeperError } from '../client/client-errors.js';
import type { ConnectString } from '../client/connect-string.js';
import { resolveServers } from '../client/resolve-servers.js';
import type {
  ClientListener,
  ServerAddress,
  SessionCredentials,
  ZooKeeperClient,
  ZooKeeperConnector,
} from '../client/zookeeper-client.js';
import type { Clock } from './clock.js';
import { SessionLease } from './session-lease.js';

export interface SessionOptions {
  readonly connectString: ConnectString;
  readonly sessionTimeoutMs: number;
  readonly tickTimeMs: number;
  /** For the `digest` scheme, as `user:password`. */
  readonly digest?: string | undefined;
  readonly connector: ZooKeeperConnector;
  readonly clock?: Clock;
}

export interface AttachedSession {
  readonly client: ZooKeeperClient;
  readonly lease: SessionLease;
}

const nobody: ClientListener = { onNode: () => undefined, onEnd: () => undefined };

/**
 * Makes connections for sessions, one attempt at a time, each at the next server: attaches a living
 * session, begins a new one, and ends on the server what was given up here.
 */
export class SessionAttacher {
  #addresses: ServerAddress[] = [];
  #orphan: SessionLease | undefined;

  constructor(
    private readonly options: SessionOptions,
    private readonly clock: Clock,
  ) {}

  /** A lease that is over here, while its session may live on the server with its nodes. */
  orphaned(lease: SessionLease): void {
    this.#orphan = lease;
  }

  /**
   * One attempt to attach the session of `lease`, or to begin a new one where there is none.
   * Ends the lease, and throws, when the server knows that its session has ended.
   */
  async attach(
    lease: SessionLease | undefined,
    listener: ClientListener,
  ): Promise<AttachedSession> {
    const sentAt = this.clock.now();
    const client = await this.#connect(lease?.credentials, listener).catch((error: unknown) => {
      if (hasReturnCode(error, ReturnCode.sessionExpired)) lease?.end('session-expired');
      throw error;
    });
    try {
      if (this.options.digest) await client.addAuth('digest', this.options.digest);
      // A new connection does not know what this session has seen: its server may be behind.
      await client.sync('/');
      await this.#endOrphan();
    } catch (error) {
      client.abandon();
      throw error;
    }
    return { client, lease: this.#leaseOf(client, lease, sentAt) };
  }

  /**
   * Only once a server has answered: where requests arrive and answers do not, every attempt to
   * attach the given-up session would keep it, and its locks, alive on the server.
   */
  async #endOrphan(): Promise<void> {
    if (!this.#orphan) return;
    await this.#endOnce(this.#orphan);
    this.#orphan = undefined;
  }

  /** Ends the session of `lease` on the server; gives up when `stop` aborts. */
  async endSession(lease: SessionLease, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const ended = await this.#endOnce(lease).then(
        () => true,
        () => false,
      );
      if (ended) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #leaseOf(client: ZooKeeperClient, lease: SessionLease | undefined, sentAt: number): SessionLease {
    if (!lease) {
      const credentials = { id: client.sessionId, password: client.sessionPassword };
      const { tickTimeMs } = this.options;
      return new SessionLease(credentials, client.sessionTimeoutMs, tickTimeMs, this.clock, sentAt);
    }
    // It may have come to its end while the connection was made.
    if (lease.lossReason) {
      client.abandon();
      throw new ZooKeeperError(ReturnCode.sessionExpired, 'connect', client.server);
    }
    lease.reattached(sentAt);
    return lease;
  }

  /**
   * Ends the session of `lease` on the server. Returns when the server has confirmed that it is
   * gone, for closing it is one request and hearing that it is closed another.
   */
  async #endOnce(lease: SessionLease): Promise<void> {
    try {
      for (;;) {
        const client = await this.#connect(lease.credentials, nobody);
        await client.close();
      }
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.sessionExpired)) throw error;
    }
  }

  async #connect(
    session: SessionCredentials | undefined,
    listener: ClientListener,
  ): Promise<ZooKeeperClient> {
    const { connector, sessionTimeoutMs } = this.options;
    const address = await this.#nextAddress();
    const connectTimeoutMs = Math.ceil(sessionTimeoutMs / 3);
    return connector.connect({ address, session, sessionTimeoutMs, connectTimeoutMs, listener });
  }

  /** Every server once, in random order, before the names are resolved again. */
  async #nextAddress(): Promise<ServerAddress> {
    const [next, ...rest] =
      this.#addresses.length > 0
        ? this.#addresses
        : await resolveServers(this.options.connectString.servers);
    if (!next) throw new Error('no server addresses');
    this.#addresses = rest;
    return next;
  }
}

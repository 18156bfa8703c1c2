import { setTimeout as sleep } from 'node:timers/promises';
import { checkCallbacks } from '../option.js';
import { identityOf } from '../port/identity.js';
import { formatConnectString } from '../port/connect-string.js';
import type {
  ClientEnd,
  ClientListener,
  LastingEvent,
  ZooKeeperClient,
} from '../port/zookeeper-client.js';
import { newSharedController } from '../listeners.js';
import type { ZkLockLogger } from '../logger.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { Access } from './access.js';
import { backoffDelay } from './backoff.js';
import { Clock } from './clock.js';
import { SessionLease } from './session-lease.js';
import { ConnectProblems } from './connect-problems.js';
import { ConnectedListeners } from './connected-listeners.js';
import { Feed } from './feed.js';
import { Heartbeat } from './heartbeat.js';
import { SessionAttacher, type AttachedSession, type SessionOptions } from './session-attacher.js';
import { SessionRequests } from './session-requests.js';
import {
  type LockSession,
  SESSION_LOSS,
  type SessionSnapshot,
  type SessionState,
} from './session-state.js';
import { untilAborted } from './until-aborted.js';
import { performance } from '../real-time.js';

const RECONNECT_BASE_MS = 50;
/** The longest delay, as a fraction of the session timeout. */
const RECONNECT_CAP = 1 / 6;

type ConnectionEnd = readonly [end: ClientEnd | 'closing', cause?: unknown];

/**
 * One ZooKeeper session, kept alive over any number of connections and replaced by a new one when
 * it is lost.
 *
 *     connecting ──► connected ◄──► suspended
 *         ▲              │              │
 *         └──── lost ◄───┴──────────────┘        any ──► closed
 *
 * `suspended` becomes `connected` when the same session is attached to a new connection in time,
 * and `lost` otherwise. A lost session that may still live on the server is ended there before the
 * next one begins, so that none of its ephemeral nodes outlives it.
 *
 * Pings and reads prove nothing (see {@link LeaseDeadline}), so the heartbeat of a session in use
 * is a transaction, which a quorum has to commit. Otherwise, the heartbeat is `sync`: it costs the
 * servers no write, and even a leader without its quorum answers it.
 */
export class Session extends SessionRequests implements LockSession {
  readonly access: Access;
  #state: SessionState = { name: 'connecting' };
  readonly #states = new Feed<SessionState>(this.#state);
  readonly #attacher: SessionAttacher;
  readonly #closing = new AbortController();
  readonly #over = newSharedController();
  #closed: Promise<void> | undefined;
  readonly #problems: ConnectProblems;
  readonly #connected = new ConnectedListeners();
  readonly #heartbeat = new Heartbeat((lease) => this.#askForProof(lease));
  #client: ZooKeeperClient | undefined;
  #lease: SessionLease | undefined;
  /** That of the current or the last connection. */
  #server: Pick<SessionSnapshot, 'connectedTo' | 'configuredServer'> = {};
  #endConnection: ((...end: ConnectionEnd) => void) | undefined;
  #running: Promise<void> | undefined;
  /** Whether closing no longer waits for an attempt to connect, whose connection closes by itself. */
  #isEnding = false;
  /** Not a property: the options contain the password, and locks refer to the session. */
  readonly #options: SessionOptions;

  constructor(
    options: SessionOptions,
    private readonly logger: ZkLockLogger,
  ) {
    const clock = options.clock ?? new Clock();
    super(clock, options.isInUse, options.restrictsNodes ? options.user?.onlyAcl() : undefined);
    this.#options = options;
    this.#attacher = new SessionAttacher(options, clock, this.#over.signal);
    const { user, hasCertificate, root } = options;
    this.access = new Access(identityOf(user, hasCertificate), root, logger);
    this.#problems = new ConnectProblems(logger, formatConnectString(options.connectString));
  }

  onState(onState: (state: SessionState) => void, onClosed?: () => void): () => void {
    checkCallbacks({ onState, onClosed });
    return this.#states.subscribe(onState, onClosed);
  }

  get snapshot(): SessionSnapshot {
    const { lastRoundTripMs } = this.#heartbeat;
    const { refusal } = this.access;
    const { reason: problem } = this.#problems;
    return {
      state: this.#state,
      servers: formatConnectString(this.#options.connectString),
      ...this.#server,
      ...(lastRoundTripMs !== undefined && { lastRoundTripMs }),
      ...(problem !== undefined && { problem }),
      ...(refusal && { refusal }),
    };
  }

  toJSON(): object {
    return this.snapshot;
  }

  /**
   * How long the session certainly lives without another answer, in milliseconds; 0 without a
   * session.
   */
  get leaseMsLeft(): number {
    const lease = this.#lease;
    return lease?.isValid() ? lease.msLeft() : 0;
  }

  /** Why the latest attempt to connect failed; undefined while there is a connection. */
  get lastFailure(): unknown {
    return this.#problems.latest;
  }

  /**
   * Why there is no connection, for messages; undefined while connected, or before anything has
   * failed.
   */
  get connectProblem(): string | undefined {
    return this.isStarted ? this.#problems.reason : 'start() was not called';
  }

  get isStarted(): boolean {
    return this.#running !== undefined;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /**
   * Starts to connect, and keeps reconnecting until `close`.
   *
   * @throws {ZkLockConfigError} when the client cannot work in this process
   */
  start(): void {
    const { connector } = this.#options;
    connector.load();
    if (this.#running) return;
    this.logger.log(`Using ${connector.description}.`);
    this.#problems.begin();
    this.#running = this.#run();
  }

  /** The lease of the connected session; undefined while there is no connection. */
  get connectedLease(): SessionLease | undefined {
    return this.#client && this.#lease;
  }

  /**
   * Resolves with the lease of the connected session as soon as there is one. Rejects with the
   * reason of `stop` when that aborts first, and with a {@link ZkLockConfigError} when a server
   * grants a session timeout that is too short.
   */
  whenConnected(stop: AbortSignal): Promise<SessionLease> {
    const lease = this.connectedLease;
    return lease ? Promise.resolve(lease) : this.#connected.next(stop);
  }

  async whenReconnected(lease: SessionLease): Promise<boolean> {
    if (lease.lossReason) return false;
    if (this.#client && this.#lease === lease) return true;
    return this.#connected.isNextOf(lease);
  }

  /** Drops a connection that gave an impossible answer; the session is attached to a new one. */
  distrust(lease: SessionLease): void {
    if (lease !== this.#lease) return;
    this.#client?.abandon();
    this.#client = undefined;
    this.#endConnection?.('disconnected');
  }

  /** Ends a live session, also on the server, to remove its nodes; a new one follows. */
  giveUp(lease: SessionLease): void {
    lease.end('lease-expired');
  }

  /**
   * Ends the session on the server together with its ephemeral nodes; reconnects for that if
   * necessary. If no server can be reached within `timeoutMs`, they stay until the session expires.
   * Idempotent: a callback of those who close may close again.
   */
  close(limit: { timeoutMs: number }): Promise<void> {
    this.#closed ??= this.#close(limit);
    return this.#closed;
  }

  async #close({ timeoutMs }: { timeoutMs: number }): Promise<void> {
    const timeout = AbortSignal.timeout(timeoutMs);
    this.#closing.abort();
    this.#problems.end();
    this.#endConnection?.('closing');
    // Only half of the time: an attempt to connect may take longer, and ends by itself.
    await untilAborted(AbortSignal.timeout(timeoutMs / 2), this.#running);
    this.#isEnding = true;
    const client = this.#client;
    const lease = this.#lease;
    this.#client = undefined;
    this.#lease = undefined;
    this.#heartbeat.stop();
    lease?.end('session-expired');
    const ending = lease
      ? this.#endSession(lease, client, timeout)
      : this.#attacher.endOrphaned(timeout);
    await untilAborted(timeout, ending);
    // A server that has stopped answering would keep the process alive.
    client?.abandon();
    // And so would one that does not answer an attempt to connect.
    this.#over.abort();
    if (this.#state.name !== 'closed') this.#enter({ name: 'closed' });
    this.#states.end();
  }

  async #endSession(
    lease: SessionLease,
    client: ZooKeeperClient | undefined,
    stop: AbortSignal,
  ): Promise<void> {
    if (await client?.close()) return;
    await this.#attacher.endSession(lease, stop);
  }

  /** Connects, waits for the end of the connection, and connects again, until closed. */
  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      const beganAt = performance.now();
      await this.#holdConnection();
      const lasted = performance.now() - beganAt > this.#options.sessionTimeoutMs;
      failures = lasted ? 0 : failures + 1;
      // Reconnects immediately after one loss, and with pauses after several.
      if (failures > 1) await this.#pause(failures - 2);
    }
  }

  async #pause(failures: number): Promise<void> {
    const capMs = (this.#lease?.timeoutMs ?? this.#options.sessionTimeoutMs) * RECONNECT_CAP;
    const delay = backoffDelay(failures, { baseMs: RECONNECT_BASE_MS, capMs });
    await sleep(delay, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  /** One connection, or attempt to connect, from beginning to end. */
  async #holdConnection(): Promise<void> {
    if (this.#state.name === 'lost') this.#enter({ name: 'connecting' });
    let onEnd!: (...end: ConnectionEnd) => void;
    const ended = new Promise<ConnectionEnd>((resolve) => (onEnd = (...end) => resolve(end)));
    const onNode = (path: string, event: LastingEvent): void => this.tell(path, event);
    const attached = await this.#attach({ onNode, onEnd });
    if (!attached) return;
    const { client, lease, configuredServer, isRootOpen, isRootHidden } = attached;
    if (isRootOpen) this.access.rootIsOpen();
    if (isRootHidden !== undefined) this.access.rootRead(isRootHidden);
    if (this.#isEnding || lease.lossReason) {
      await client.close();
      return;
    }
    this.#endConnection = onEnd;
    if (this.#closing.signal.aborted) onEnd('closing');
    this.#server = { connectedTo: client.server, configuredServer };
    this.#onConnected(client, lease);
    this.#heartbeat.start(lease);
    const end = await ended;
    this.#heartbeat.pause();
    this.#onConnectionEnd(end);
  }

  async #attach(listener: ClientListener): Promise<AttachedSession | undefined> {
    try {
      return await this.#attacher.attach(this.#lease, listener);
    } catch (error) {
      if (error instanceof ZkLockConfigError) this.#connected.refuse(error);
      if (!this.#closing.signal.aborted) this.#problems.failed(error);
      if (this.#lease) this.#heartbeat.checkDeadline(this.#lease);
      return undefined;
    }
  }

  #onConnectionEnd([end, cause]: ConnectionEnd): void {
    if (end === 'closing') return;
    this.#client = undefined;
    if (end === 'session-expired') this.#lease?.end('session-expired');
    if (this.#lease) this.#suspend(this.#lease, cause);
  }

  #onConnected(client: ZooKeeperClient, lease: SessionLease): void {
    const isNew = lease !== this.#lease;
    this.watches.connected();
    this.news.forget();
    this.#client = client;
    this.#lease = lease;
    this.#problems.connected();
    const { sessionId, grantedTimeoutMs: timeoutMs } = lease;
    if (isNew) {
      lease.listen({ onLeaseEnd: () => this.#onLost(lease) });
      lease.checker = this.#heartbeat;
      const { sessionTimeoutMs } = this.#options;
      const limit =
        timeoutMs === sessionTimeoutMs
          ? ''
          : `, the servers' limit; \`sessionTimeoutMs\` is ${sessionTimeoutMs}`;
      this.logger.log(
        `Connected to ZooKeeper at ${client.server} with a new session, timeout ${timeoutMs} ms${limit}.`,
      );
    } else {
      this.logger.log(`Reconnected to ZooKeeper at ${client.server}; the session is kept.`);
    }
    this.#heartbeat.checkDeadline(lease);
    // It may have ended since the servers answered.
    if (lease.lossReason) return;
    this.#enter({ name: 'connected', sessionId, timeoutMs });
    if (!isNew) this.watches.fireGap();
    this.#connected.tell(lease);
  }

  #suspend(lease: SessionLease, cause: unknown): void {
    const { connectedTo } = this.#server;
    if (connectedTo !== undefined) this.#problems.lost(connectedTo, cause);
    this.#enter({ name: 'suspended', sessionId: lease.sessionId, since: new Date() });
  }

  #onLost(lease: SessionLease): void {
    const { lossReason: reason } = lease;
    if (lease !== this.#lease || !reason) return;
    this.#heartbeat.stop();
    this.#lease = undefined;
    this.#client?.abandon();
    this.#client = undefined;
    this.#endConnection?.('disconnected');
    if (reason !== 'session-expired') this.#attacher.orphaned(lease);
    if (this.#closing.signal.aborted) return;
    this.logger.error(
      `The ZooKeeper session is lost: ${SESSION_LOSS[reason]}. Every lock it held is lost with it.`,
    );
    this.#enter({ name: 'lost', sessionId: lease.sessionId, reason });
  }

  async #askForProof(lease: SessionLease): Promise<void> {
    void this.access.askAgain(this, lease);
    if (this.#options.isInUse()) {
      await this.write(lease, 'heartbeat', '/', (client) => client.proveSession());
    } else {
      await this.sync(lease, '/');
    }
  }

  protected clientOf(lease: SessionLease): ZooKeeperClient | undefined {
    return lease === this.#lease ? this.#client : undefined;
  }

  #enter(state: SessionState): void {
    this.#state = state;
    this.#states.tell(state);
  }
}

import type { ConnectRequest } from 'zk-protocol';
import type { Database } from '../database.js';
import { Faults } from '../faults.js';
import type { ResolvedOptions } from '../options.js';
import { ReceivedRequest } from '../requests/received-request.js';
import type { Caller } from '../requests/request-context.js';
import { type Answer, RequestProcessor } from '../requests/request-processor.js';
import type { Session } from '../sessions/session-table.js';
import { Watches } from '../watches/watches.js';
import type { ClientConnection } from './client-connection.js';
import { Traffic } from './traffic.js';

/** How long a connection may stay without a session, as in ZooKeeper (`sessionlessCnxnTimeout`). */
const HANDSHAKE_MS = 10_000;

/** One run of a server: the state shared by its connections, from start to stop. */
export class ServerCore {
  readonly watches = new Watches();
  readonly faults = new Faults();
  readonly connections = new Set<ClientConnection>();
  /** On the monotonic clock, in milliseconds. */
  readonly startedAt = performance.now();
  /** The traffic of connections that are gone. */
  readonly pastTraffic = new Traffic();
  readonly #processor: RequestProcessor;
  readonly #attached = new Map<bigint, ClientConnection>();
  /** Includes connections whose session is over. */
  readonly #sessionIds = new WeakMap<ClientConnection, bigint>();

  constructor(
    readonly database: Database,
    readonly options: ResolvedOptions,
  ) {
    this.#processor = new RequestProcessor(database, this.watches);
    database.sessions.touchAll(performance.now());
  }

  /**
   * The session that a client asks for, new or its own; `undefined` if that is over. A client that
   * has seen a later zxid than this server's is refused.
   */
  attach(connection: ClientConnection, request: ConnectRequest): Session | undefined | 'refused' {
    const { sessions, lastZxid } = this.database;
    if (request.lastZxidSeen > lastZxid) return 'refused';
    const { minSessionTimeoutMs, maxSessionTimeoutMs } = this.options;
    const timeoutMs = Math.min(Math.max(request.timeOut, minSessionTimeoutMs), maxSessionTimeoutMs);
    const now = performance.now();
    // A client has one connection. An earlier one must be dead, but the server has not noticed yet.
    // As in ZooKeeper, it ends before the password is checked.
    this.#attached.get(request.sessionId)?.destroy();
    const session =
      request.sessionId === 0n
        ? this.#processor.openSession(timeoutMs, now)
        : sessions.claim(request.sessionId, request.passwd);
    if (!session) return undefined;
    session.timeoutMs = timeoutMs;
    sessions.touch(session, now);
    this.#attached.set(session.id, connection);
    this.#sessionIds.set(connection, session.id);
    return session;
  }

  execute(caller: Caller, request: Buffer): Answer {
    this.database.sessions.touch(caller.session, performance.now());
    return this.#processor.execute(caller, new ReceivedRequest(request));
  }

  connectionOf(session: Session): ClientConnection | undefined {
    return this.#attached.get(session.id);
  }

  connectionsFrom(address: string): number {
    let count = 0;
    for (const { remoteAddress } of this.connections) if (remoteAddress === address) count++;
    return count;
  }

  /** Forgets a connection and its watches. */
  forget(connection: ClientConnection): void {
    if (!this.connections.delete(connection)) return;
    this.pastTraffic.received += connection.traffic.received;
    this.pastTraffic.sent += connection.traffic.sent;
    this.watches.removeWatcher(connection);
    const sessionId = this.#sessionIds.get(connection);
    if (sessionId !== undefined && this.#attached.get(sessionId) === connection) {
      this.#attached.delete(sessionId);
    }
  }

  /** Ends a session as if its client had been silent for too long. */
  expire(session: Session): void {
    this.#processor.endSession(session);
    this.connectionOf(session)?.destroy();
  }

  expireOverdue(): void {
    for (const session of this.database.sessions.overdue(performance.now())) this.expire(session);
    const openedLast = Date.now() - HANDSHAKE_MS;
    for (const connection of [...this.connections]) {
      const isSilent = !this.#sessionIds.has(connection) && connection.establishedAt < openedLast;
      if (isSilent) connection.destroy();
    }
  }

  reapMortals(): void {
    this.#processor.reapMortals(Date.now());
  }
}

import type { RestartOptions, SessionInfo } from './embedded-server.js';
import type { FaultOperation } from './faults.js';
import { type EmbeddedZooKeeperOptions, formatAddress, resolveOptions } from './options.js';
import { ServerThread } from './thread/server-thread.js';

/**
 * An Apache ZooKeeper server inside this process, for development and for tests. It speaks the real
 * protocol, so any client can use it, and keeps everything in memory. It is a single server rather
 * than an ensemble: do not use it in production.
 *
 * It runs in a thread of its own. As with a real server, a client that is busy for longer than its
 * session timeout loses its session. Every fault is active once its promise resolves.
 *
 * @example
 * ```ts
 * await using server = await EmbeddedZooKeeper.start();
 * const zk = await connect({ servers: server.connectString });
 * ```
 */
export class EmbeddedZooKeeper implements AsyncDisposable {
  private constructor(
    private readonly thread: ServerThread,
    readonly host: string,
  ) {}

  /**
   * Starts a server, which is ready when the promise resolves.
   *
   * @throws {TypeError} naming an invalid option
   * @throws {Error} if the port is taken, as Node reports it (`EADDRINUSE`)
   */
  static async start(options: EmbeddedZooKeeperOptions = {}): Promise<EmbeddedZooKeeper> {
    const resolved = resolveOptions(options);
    // A thread gets no inherited option, and no getter. What is not given stays undefined: defaults depend
    // on other options, which `restart` may change.
    const names = Object.keys(resolved) as (keyof EmbeddedZooKeeperOptions)[];
    const given = Object.fromEntries(names.map((name) => [name, options[name]]));
    return new EmbeddedZooKeeper(await ServerThread.start(given), resolved.host);
  }

  get port(): number {
    return this.thread.port;
  }

  /** The connect string for clients: `127.0.0.1:2181`. */
  get connectString(): string {
    return formatAddress(this.host, this.port);
  }

  /** The live sessions, including those without a connection. */
  sessions(): Promise<SessionInfo[]> {
    return this.thread.call('sessions');
  }

  /** Ends all connections and the server; its data is gone. Idempotent. */
  stop(): Promise<void> {
    return this.thread.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Ends all connections and stops listening, like a server that is down. Sessions do not expire.
   * After that, only {@link restart} and {@link stop} can be called.
   */
  halt(): Promise<void> {
    return this.thread.call('stop');
  }

  /**
   * Stops the server, unless it is halted, and starts it again on the same port without faults.
   *
   * @param options.keep keeps the znodes and the sessions; each session has its whole timeout to
   * come back. Otherwise the server is empty, and tells clients that their sessions are over.
   * @default false
   * @param options other limits for sessions; a client gets them with its next connection
   * @throws {TypeError} naming an invalid option
   */
  restart(options: RestartOptions = {}): Promise<void> {
    return this.thread.call('restart', options);
  }

  /**
   * Ends a session, like a server that has not heard from its client for the session timeout. Its
   * ephemeral nodes are deleted and its connection is cut. The client learns of it when it
   * reconnects.
   *
   * @param id in hex, as {@link sessions} and ZooKeeper's own tools show it
   * @throws {Error} if there is no such session
   */
  expireSession(id: string): Promise<void> {
    return this.thread.call('expireSession', id);
  }

  /** Cuts all connections. Their sessions live on, and clients may reconnect immediately. */
  dropConnections(): Promise<void> {
    return this.thread.call('dropConnections');
  }

  /**
   * Freezes the server until {@link resume}: clients can connect, but get no answers. Sessions do
   * not expire meanwhile. After `resume` the server first reads what has arrived, then expires
   * overdue sessions.
   */
  pause(): Promise<void> {
    return this.thread.call('pause');
  }

  /** Ends {@link pause}. */
  resume(): Promise<void> {
    return this.thread.call('resume');
  }

  /**
   * Delays everything that is sent from now on, in order.
   *
   * @param ms milliseconds; 0 ends the delay
   * @throws {TypeError} if `ms` is not a duration
   */
  delay(ms: number): Promise<void> {
    return this.thread.call('delay', ms);
  }

  /**
   * Executes the next request of this kind, of any client, and cuts its connection instead of
   * answering. Several calls lose several replies, one each. A part of a `multi` counts as such a
   * request.
   *
   * @param operation `create` stands for all kinds of creation, `getChildren` for both of its forms
   * @throws {TypeError} for an unknown operation
   */
  loseNextReply(operation: FaultOperation): Promise<void> {
    return this.thread.call('loseNextReply', operation);
  }

  /** Resets every new connection until {@link accept}; open connections stay. */
  refuse(): Promise<void> {
    return this.thread.call('refuse');
  }

  /** Ends {@link refuse}. */
  accept(): Promise<void> {
    return this.thread.call('accept');
  }

  /**
   * Sets the number of the next sequential child of a node, so that tests can reach the end of the
   * counter: 2147483647, which ZooKeeper then gives to every further child.
   *
   * @throws {Error} if there is no such node
   * @throws {TypeError} if the number has more than 32 bits
   */
  setNextSequence(path: string, number: number): Promise<void> {
    return this.thread.call('setNextSequence', path, number);
  }
}

import type { RestartOptions, SessionInfo } from './embedded-server.js';
import type { FaultOperation } from './faults.js';
import { type EmbeddedZooKeeperOptions, resolveOptions } from './options.js';
import { ServerThread } from './thread/server-thread.js';

/**
 * An Apache ZooKeeper server inside this process, for development and for tests. It speaks the real
 * protocol, so that any client can use it, and keeps everything in memory. It is one server, not an
 * ensemble: production is no place for it.
 *
 * It runs in a thread of its own: as with a real server, a client that is busy for longer than its
 * session timeout loses its session. Every fault is on once its promise resolves.
 *
 * @example
 * await using zk = await EmbeddedZooKeeper.start();
 * const client = connect(zk.connectString);
 */
export class EmbeddedZooKeeper implements AsyncDisposable {
  private constructor(
    private readonly thread: ServerThread,
    readonly host: string,
  ) {}

  /**
   * Starts a server, which serves when this resolves.
   *
   * @throws {TypeError} naming an option that cannot be used
   * @throws {Error} where the port is taken, as Node reports it (`EADDRINUSE`)
   */
  static async start(options: EmbeddedZooKeeperOptions = {}): Promise<EmbeddedZooKeeper> {
    const resolved = resolveOptions(options);
    return new EmbeddedZooKeeper(await ServerThread.start(resolved), resolved.host);
  }

  get port(): number {
    return this.thread.port;
  }

  /** What a client connects to: `127.0.0.1:2181`. */
  get connectString(): string {
    return this.host.includes(':') ? `[${this.host}]:${this.port}` : `${this.host}:${this.port}`;
  }

  /** The sessions that live now, those without a connection among them. */
  sessions(): Promise<SessionInfo[]> {
    return this.thread.call('sessions');
  }

  /** Ends all connections, and the server with all that is in it. Can be called again. */
  stop(): Promise<void> {
    return this.thread.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Ends all connections and stops listening, as a server that is down; nothing expires. Only
   * {@link restart} and {@link stop} can follow.
   */
  halt(): Promise<void> {
    return this.thread.call('stop');
  }

  /**
   * Stops, unless it is halted, and starts again on the same port, without the faults that were on.
   *
   * @param options.keep keeps the znodes and the sessions, each of which has its whole timeout to
   * come back; otherwise the server is empty, and tells clients that their sessions are over.
   * @default false
   * @param options other limits for sessions; a client has them from its next connection on
   * @throws {TypeError} naming an option that cannot be used
   */
  restart(options: RestartOptions = {}): Promise<void> {
    return this.thread.call('restart', options);
  }

  /**
   * Ends a session as a server does that has not heard of it for its timeout: its ephemeral nodes
   * go, and its client, whose connection is cut, is told when it is back.
   *
   * @param id in hex, as {@link sessions} and ZooKeeper's own tools have it
   * @throws {Error} where there is no such session
   */
  expireSession(id: string): Promise<void> {
    return this.thread.call('expireSession', id);
  }

  /** Cuts all connections; their sessions live on, and clients may connect again at once. */
  dropConnections(): Promise<void> {
    return this.thread.call('dropConnections');
  }

  /**
   * Freezes the server until {@link resume}: clients can connect, and nothing is answered. No
   * session expires meanwhile; those that are overdue then expire once it has read what has arrived.
   */
  pause(): Promise<void> {
    return this.thread.call('pause');
  }

  /** Ends {@link pause}. */
  resume(): Promise<void> {
    return this.thread.call('resume');
  }

  /**
   * From now on sends everything so much later, in the order in which it would have been sent.
   *
   * @param ms milliseconds; 0 ends it
   * @throws {TypeError} for what is no duration
   */
  delay(ms: number): Promise<void> {
    return this.thread.call('delay', ms);
  }

  /**
   * Executes the next request of this kind, whoever makes it, and cuts its connection instead of
   * answering it. Several calls lose several replies, one each. A part of a `multi` is such a request.
   *
   * @param operation `create` stands for all kinds of creation, `getChildren` for both of its forms
   * @throws {TypeError} for an operation that is none
   */
  loseNextReply(operation: FaultOperation): Promise<void> {
    return this.thread.call('loseNextReply', operation);
  }

  /** Resets every new connection until {@link accept}; those that are open stay. */
  refuse(): Promise<void> {
    return this.thread.call('refuse');
  }

  /** Ends {@link refuse}. */
  accept(): Promise<void> {
    return this.thread.call('accept');
  }

  /**
   * Sets the number that the next sequential child of a node gets. With it, tests reach the end of
   * the counter: 2147483647, which ZooKeeper then gives to every further child.
   *
   * @throws {Error} where there is no such node
   * @throws {TypeError} where the number has more than 32 bits
   */
  setNextSequence(path: string, number: number): Promise<void> {
    return this.thread.call('setNextSequence', path, number);
  }
}

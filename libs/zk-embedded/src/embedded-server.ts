import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Database } from './database.js';
import type { FaultOperation } from './faults.js';
import { formatId, parseId } from './format-id.js';
import { addressOf, Connection } from './net/connection.js';
import { ServerCore } from './net/server-core.js';
import { type EmbeddedZooKeeperOptions, type ResolvedOptions, resolveOptions } from './options.js';

/** A session that lives in the server. */
export interface SessionInfo {
  /** In hex, as ZooKeeper's own tools print it. */
  readonly id: string;
  /** The negotiated timeout. */
  readonly timeoutMs: number;
  readonly isConnected: boolean;
  /** The paths of its ephemeral nodes. */
  readonly ephemerals: readonly string[];
}

export interface RestartOptions extends Pick<
  EmbeddedZooKeeperOptions,
  'minSessionTimeoutMs' | 'maxSessionTimeoutMs'
> {
  /** Keeps the znodes and the sessions. Each session has its whole timeout to come back. */
  readonly keep?: boolean;
}

interface Run {
  readonly core: ServerCore;
  readonly server: Server;
  readonly stopTimers: () => void;
}

/** The server itself, in the thread that creates it. `EmbeddedZooKeeper` documents its methods. */
export class EmbeddedServer {
  #database: Database;
  /** As given: a default can depend on another option, which a restart may change. */
  #given: EmbeddedZooKeeperOptions;
  #options: ResolvedOptions;
  #run: Run | undefined;
  /** The latest stop or restart. */
  #latest = Promise.resolve();

  private constructor(options: EmbeddedZooKeeperOptions) {
    this.#given = options;
    this.#options = resolveOptions(options);
    this.#database = Database.empty(this.#options.tickTimeMs);
  }

  /**
   * @throws {TypeError} naming an invalid option
   * @throws {Error} if the port is taken, as Node reports it (`EADDRINUSE`)
   */
  static async start(options: EmbeddedZooKeeperOptions): Promise<EmbeddedServer> {
    const server = new EmbeddedServer(options);
    await server.#start();
    return server;
  }

  get port(): number {
    return this.#options.port;
  }

  sessions(): SessionInfo[] {
    const { core } = this.#running();
    return [...this.#database.sessions].map((session) => ({
      id: formatId(session.id),
      timeoutMs: session.timeoutMs,
      isConnected: core.connectionOf(session) !== undefined,
      ephemerals: this.#database.tree.ephemeralsOf(session.id),
    }));
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  restart({ keep = false, ...limits }: RestartOptions = {}): Promise<void> {
    return this.#inTurn(async () => {
      const given = { ...this.#given, ...limits, port: this.port };
      this.#options = resolveOptions(given);
      this.#given = given;
      await this.#stop();
      if (!keep) this.#database = this.#database.successor();
      await this.#start();
    });
  }

  expireSession(id: string): void {
    const { core } = this.#running();
    const session = this.#database.sessions.find(parseId(id));
    if (!session) throw new Error(`zk-embedded: there is no session ${id}; see sessions().`);
    core.expire(session);
  }

  dropConnections(): void {
    for (const connection of [...this.#running().core.connections]) connection.destroy();
  }

  pause(): void {
    const { core } = this.#running();
    core.faults.isPaused = true;
    for (const connection of core.connections) connection.pause();
  }

  resume(): void {
    const { core } = this.#running();
    core.faults.isPaused = false;
    for (const connection of core.connections) connection.resume();
  }

  delay(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new TypeError(
        `zk-embedded: delay() needs a number of milliseconds, 0 or more; got ${ms}.`,
      );
    }
    this.#running().core.faults.delayMs = ms;
  }

  loseNextReply(operation: FaultOperation): void {
    this.#running().core.faults.loseNextReply(operation);
  }

  refuse(): void {
    this.#running().core.faults.isRefusing = true;
  }

  accept(): void {
    this.#running().core.faults.isRefusing = false;
  }

  setNextSequence(path: string, number: number): void {
    this.#running();
    const node = this.#database.tree.find(path);
    if (!node) throw new Error(`zk-embedded: there is no node ${path}; create it first.`);
    if ((number | 0) !== number) {
      throw new TypeError(
        `zk-embedded: a sequence number must be a 32-bit integer; got ${number}.`,
      );
    }
    node.childrenCreated = number;
  }

  async #start(): Promise<void> {
    const server = createServer();
    server.listen(this.#options.port, this.#options.host);
    await once(server, 'listening');
    // A port that was chosen once is used for every later start.
    this.#options = { ...this.#options, port: (server.address() as AddressInfo).port };
    const core = new ServerCore(this.#database, this.#options);
    server.on('connection', (socket) => serve(socket, core));
    this.#run = { core, server, stopTimers: startTimers(core) };
  }

  /** Runs `action` after the stops and restarts that were called before, even if these failed. */
  #inTurn(action: () => Promise<void>): Promise<void> {
    this.#latest = this.#latest.then(action, action);
    return this.#latest;
  }

  async #stop(): Promise<void> {
    const run = this.#run;
    if (!run) return;
    this.#run = undefined;
    run.stopTimers();
    const closed = once(run.server, 'close');
    run.server.close();
    for (const connection of [...run.core.connections]) connection.destroy();
    await closed;
  }

  #running(): Run {
    if (this.#run) return this.#run;
    throw new Error('zk-embedded: this server is halted; restart() lets it serve again.');
  }
}

function serve(socket: Socket, core: ServerCore): void {
  const { maxClientConnections } = core.options;
  const isOneTooMany =
    maxClientConnections > 0 && core.connectionsFrom(addressOf(socket)) >= maxClientConnections;
  if (core.faults.isRefusing || isOneTooMany) {
    socket.on('error', () => undefined);
    socket.resetAndDestroy();
    return;
  }
  core.connections.add(new Connection(socket, core));
}

/** These timers do not keep the process alive; the sockets do. Returns what ends the timers. */
function startTimers(core: ServerCore): () => void {
  const { tickTimeMs, containerCheckIntervalMs } = core.options;
  let expiry: NodeJS.Timeout;
  // Sessions end at multiples of the tick on the monotonic clock, so they are checked at these times.
  const waitForTick = (): void => {
    const untilTick = Math.ceil(tickTimeMs - (performance.now() % tickTimeMs));
    expiry = setTimeout(() => {
      afterReading(() => {
        if (!core.faults.isPaused) core.expireOverdue();
      });
      waitForTick();
    }, untilTick).unref();
  };
  waitForTick();
  const reaper = setInterval(() => {
    if (!core.faults.isPaused) core.reapMortals();
  }, containerCheckIntervalMs);
  reaper.unref();
  return () => {
    clearTimeout(expiry);
    clearInterval(reaper);
  };
}

/**
 * Runs after another read of the sockets. If this process was busy or asleep, timers run before the
 * bytes that arrived meanwhile are read, and active clients would count as silent.
 */
function afterReading(callback: () => void): void {
  setImmediate(() => setImmediate(callback));
}

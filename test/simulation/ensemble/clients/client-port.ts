import type { Network } from '../../network/network.js';
import type { SimulatedSocket } from '../../network/simulated-socket.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { MemberOptions } from '../options.js';
import { ClientConnection } from './client-connection.js';
import type { Read } from './request-line.js';
import type { Service } from './service.js';

/** How often silent connections are looked for, as `sessionlessCnxnTimeout` does. */
const SILENCE_CHECK_MS = 10_000;

/** The port for clients during one run of a server, and their connections. */
export class ClientPort {
  readonly connections = new Set<ClientConnection>();
  #service: Service | undefined;
  #nextSessionId = 0n;
  readonly #attached = new Map<bigint, ClientConnection>();

  constructor(
    readonly process: SimulatedProcess,
    readonly options: MemberOptions,
    private readonly serverId: number,
    readonly onRead: (read: Read) => void,
  ) {}

  get service(): Service | undefined {
    return this.#service;
  }

  listen(network: Network, port: number): void {
    network.listen(this.process, { host: this.process.host, port }, (socket: SimulatedSocket) => {
      this.connections.add(new ClientConnection(socket, this));
    });
    const untilCheckMs =
      SILENCE_CHECK_MS - (Math.floor(this.process.monotonic()) % SILENCE_CHECK_MS);
    this.process.addTimer(() => this.#checkSilence(), untilCheckMs);
  }

  serve(service: Service): void {
    this.#service = service;
    // The highest byte is the server's id, followed by 40 bits of its clock.
    const time = BigInt.asUintN(40, BigInt(Math.floor(this.process.monotonic())));
    this.#nextSessionId = (BigInt(this.serverId) << 56n) | (time << 16n);
  }

  /** Later connections are accepted, but closed as soon as the client sends something. */
  stopServing(): void {
    for (const connection of [...this.connections]) connection.destroy();
    this.#service = undefined;
  }

  newSessionId(): bigint {
    return this.#nextSessionId++;
  }

  connectionOf(sessionId: bigint): ClientConnection | undefined {
    return this.#attached.get(sessionId);
  }

  /** A session has one connection: an earlier one on this server is closed. */
  attach(connection: ClientConnection, sessionId: bigint): void {
    this.#attached.get(sessionId)?.destroy();
    connection.sessionId = sessionId;
    this.#attached.set(sessionId, connection);
  }

  forget(connection: ClientConnection): void {
    this.connections.delete(connection);
    this.#service?.replica.watches.removeWatcher(connection);
    const { sessionId } = connection;
    if (this.#attached.get(sessionId) === connection) this.#attached.delete(sessionId);
  }

  #checkSilence(): void {
    // Checks after the poll phase: following a stall, messages that arrived in the meantime count
    // first.
    this.process.addImmediate(() => this.#dropSilent());
    this.process.addTimer(() => this.#checkSilence(), SILENCE_CHECK_MS);
  }

  #dropSilent(): void {
    const now = this.process.monotonic();
    for (const connection of [...this.connections]) {
      const limitMs = connection.timeoutMs || SILENCE_CHECK_MS;
      const checks = Math.floor((connection.heardAt + limitMs) / SILENCE_CHECK_MS) + 1;
      if (checks * SILENCE_CHECK_MS <= now) connection.destroy();
    }
  }
}

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayFlow } from './relay-flow.js';

/** The end of the relay that bytes travel to. */
export type Towards = 'client' | 'server';

/** One client's connection through the relay: two sockets and the flow in each direction. */
export interface RelayedConnection {
  readonly flows: Readonly<Record<Towards, RelayFlow>>;
  /** Resets both sides, like a network device that has forgotten the connection. */
  readonly reset: () => void;
  /**
   * Whether the client opened it towards a frozen server and has given up since. On a dead link the
   * connection would never have existed, so none of its bytes may reach the server later.
   */
  readonly isStillborn: () => boolean;
}

/** Pause between attempts to reach a target. */
const RETRY_MS = 20;

/** Passes bytes between clients and one server, without decoding them. */
export class TcpRelay {
  readonly #open = new Set<RelayedConnection>();
  readonly #frozen: Record<Towards, boolean> = { client: false, server: false };
  readonly #bytes: Record<Towards, number> = { client: 0, server: 0 };
  #delayMs = 0;
  #server: Server | undefined;

  /** @param patienceMs how long a client waits, connected, for a target that does not listen yet */
  constructor(
    readonly port: number,
    readonly targetPort: number,
    private readonly patienceMs = 0,
  ) {}

  connections(): number {
    return this.#open.size;
  }

  bytes(): Record<Towards, number> {
    return this.#bytes;
  }

  resetCounters(): void {
    this.#bytes.client = this.#bytes.server = 0;
  }

  cut(): void {
    for (const connection of [...this.#open]) connection.reset();
  }

  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  async accept(): Promise<void> {
    if (this.#server) return;
    this.#server = createServer({ noDelay: true }, (client) => {
      void this.#reach(client).then((server) => server && this.#relay(client, server));
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  freezeTowards(end: Towards): void {
    this.#frozen[end] = true;
    for (const { flows } of this.#open) flows[end].freeze();
  }

  thaw(): void {
    this.#frozen.client = this.#frozen.server = false;
    for (const { flows, isStillborn, reset } of [...this.#open]) {
      if (isStillborn()) {
        reset();
        continue;
      }
      flows.client.thaw();
      flows.server.thaw();
    }
  }

  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Called once for each new connection, before its first byte. */
  protected onConnection(_connection: RelayedConnection): void {
    // Bytes pass unchanged.
  }

  /**
   * The socket to the server; undefined if the server is away, and then the client is refused too.
   */
  async #reach(client: Socket): Promise<Socket | undefined> {
    const giveUpAt = performance.now() + this.patienceMs;
    // The client may go meanwhile.
    client.on('error', () => undefined);
    for (;;) {
      const server = connect({ port: this.targetPort, host: '127.0.0.1', noDelay: true });
      try {
        await once(server, 'connect');
        return server;
      } catch {
        if (client.destroyed || performance.now() >= giveUpAt) break;
      }
      await sleep(RETRY_MS);
    }
    client.resetAndDestroy();
    return undefined;
  }

  #relay(client: Socket, server: Socket): void {
    const delay = (): number => this.#delayMs;
    const count = (end: Towards) => (bytes: number) => {
      this.#bytes[end] += bytes;
    };
    const flows = {
      client: new RelayFlow(server, client, delay, count('client')),
      server: new RelayFlow(client, server, delay, count('server')),
    };
    const openedInVain = this.#frozen.server;
    const connection: RelayedConnection = {
      flows,
      isStillborn: () => openedInVain && (client.readableEnded || client.destroyed),
      reset: () => {
        this.#open.delete(connection);
        flows.client.drop();
        flows.server.drop();
        client.resetAndDestroy();
        server.resetAndDestroy();
      },
    };
    for (const socket of [client, server]) {
      socket.on('close', () => {
        if (client.destroyed && server.destroyed) this.#open.delete(connection);
      });
    }
    this.#open.add(connection);
    if (this.#frozen.client) flows.client.freeze();
    if (this.#frozen.server) flows.server.freeze();
    this.onConnection(connection);
  }
}

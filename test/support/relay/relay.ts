import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadAlong, type Operation } from './read-along.js';
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

/**
 * A new leader begins to listen for its followers only after its election. Followers that come too
 * early and are refused try again, but those that are accepted and reset begin a new election.
 */
const QUORUM_PATIENCE_MS = 2_000;

/** Passes bytes between clients and one server, and knows the frames of ZooKeeper's clients. */
export class Relay {
  readonly #open = new Set<RelayedConnection>();
  readonly #frozen: Record<Towards, boolean> = { client: false, server: false };
  readonly #bytes: Record<Towards, number> = { client: 0, server: 0 };
  readonly #frames = new ReadAlong();
  #delayMs = 0;
  #server: Server | undefined;

  /** @param isBlind the bytes are not ZooKeeper's client protocol, as those between servers */
  constructor(
    private readonly port: number,
    private readonly targetPort: number,
    private readonly isBlind: boolean,
  ) {}

  /**
   * The number of requests of each kind that clients have sent since the last {@link
   * resetCounters}. A `multi` counts as one, and each of its parts counts, too.
   */
  requests(): Record<Operation, number> {
    return this.#frames.requests;
  }

  /** The number of watch events that the server has sent since the last {@link resetCounters}. */
  notifications(): number {
    return this.#frames.notifications;
  }

  /** The number of bytes for each end since the last {@link resetCounters}. */
  bytes(): Record<Towards, number> {
    return this.#bytes;
  }

  resetCounters(): void {
    this.#bytes.client = this.#bytes.server = 0;
    this.#frames.resetCounters();
  }

  /** Resets every connection; new ones are accepted. */
  cut(): void {
    for (const connection of [...this.#open]) connection.reset();
  }

  /** Refuses new connections; open ones stay. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Accepts new connections (again). */
  async accept(): Promise<void> {
    if (this.#server) return;
    this.#server = createServer({ noDelay: true }, (client) => {
      void this.#reach(client).then((server) => server && this.#relay(client, server));
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Holds back all bytes in one direction; sockets stay open. */
  freezeTowards(end: Towards): void {
    this.#frozen[end] = true;
    for (const { flows } of this.#open) flows[end].freeze();
  }

  /** Passes on all bytes that were held back, and those that follow. */
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

  /** Delays each direction by this time; a round trip takes twice as much longer. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** @returns a number to ask {@link lossHappened} with */
  loseNext(of: 'request' | 'reply', operation: Operation): number {
    return this.#frames.loseNext(of, operation);
  }

  lossHappened(loss: number): Promise<void> | undefined {
    return this.#frames.losses[loss];
  }

  /** Forgets the losses that have not happened yet. */
  loseNothing(): void {
    this.#frames.loseNothing();
  }

  /**
   * The socket to the server; undefined if the server is away, and then the client is refused too.
   */
  async #reach(client: Socket): Promise<Socket | undefined> {
    const giveUpAt = performance.now() + (this.isBlind ? QUORUM_PATIENCE_MS : 0);
    // The client may disconnect at any time.
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
    if (!this.isBlind) this.#frames.follow(connection);
  }
}

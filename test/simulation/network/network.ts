import type { Buffer } from 'node:buffer';
import type { LookupAddress } from 'node:dns';
import type { Random } from '../../workers/soak/random.js';
import type { SimulatedProcess } from '../world/simulated-process.js';
import type { World } from '../world/world.js';
import { Pipe } from './pipe.js';
import { type SimulatedSocket, connectSockets } from './simulated-socket.js';

export interface Latency {
  readonly leastMs: number;
  readonly mostMs: number;
  /** The percentage of messages that take longer, and their maximum latency. */
  readonly slowPercent: number;
  readonly slowMs: number;
}

export const USUAL_LATENCY: Latency = { leastMs: 0.2, mostMs: 1.7, slowPercent: 2, slowMs: 30 };

export interface ConnectOptions {
  readonly host: string;
  readonly port: number;
}

/** One direction between two hosts. */
export interface Way {
  /** The number of active blocks. While there are any, nothing is delivered. */
  blocks: number;
  /** The additional latency of each message. */
  slowMs: number;
  /** Called when the last block ends. */
  waiting: (() => void)[];
}

interface Listener {
  readonly process: SimulatedProcess;
  readonly onConnection: (socket: SimulatedSocket) => void;
}

/** The percentage of writes that arrive in two segments. */
const SPLIT_PERCENT = 3;

/** The maximum time after the end of a block until the sender retransmits. */
const RETRANSMISSION_MS = 400;

/** The hosts and the directions between them. */
export class Network {
  readonly sockets = new Set<SimulatedSocket>();
  readonly #listeners = new Map<string, Listener>();
  readonly #ways = new Map<string, Way>();
  readonly #random: Random;
  readonly #processes = new WeakSet<SimulatedProcess>();
  #ports = 40_000;

  constructor(
    readonly world: World,
    private readonly latency = USUAL_LATENCY,
  ) {
    this.#random = world.random.fork();
    world.network = this;
  }

  way(from: string, to: string): Way {
    const name = `${from}>${to}`;
    let way = this.#ways.get(name);
    if (!way) this.#ways.set(name, (way = { blocks: 0, slowMs: 0, waiting: [] }));
    return way;
  }

  latencyMs(way: Way): number {
    const { leastMs, mostMs, slowPercent, slowMs } = this.latency;
    const most = this.#random.chance(slowPercent) ? slowMs : mostMs;
    const drawn = leastMs + ((most - leastMs) * this.#random.between(0, 1_000)) / 1_000;
    return drawn + way.slowMs;
  }

  /** Splits some of the data that is written at once, so that a frame arrives in two segments. */
  segmentsOf(bytes: Buffer): Buffer[] {
    if (bytes.length < 2 || !this.#random.chance(SPLIT_PERCENT)) return [bytes];
    const end = this.#random.between(1, bytes.length - 1);
    return [bytes.subarray(0, end), bytes.subarray(end)];
  }

  /** Adds latency to each message in one direction. */
  slow(from: string, to: string, ms: number): void {
    this.way(from, to).slowMs = ms;
  }

  /** Blocks one direction. Each block must be ended by {@link free}. */
  block(from: string, to: string): void {
    this.way(from, to).blocks++;
  }

  free(from: string, to: string): void {
    const way = this.way(from, to);
    if (way.blocks === 0) throw new Error(`the way from ${from} to ${to} is not blocked`);
    if (--way.blocks > 0) return;
    for (const run of way.waiting.splice(0)) {
      this.world.after(this.#random.between(0, RETRANSMISSION_MS), () => {
        if (way.blocks > 0) way.waiting.push(run);
        else run();
      });
    }
  }

  /** Sends messages between two processes; each is handled in a turn of the receiver. */
  channel<T>(from: SimulatedProcess, to: SimulatedProcess, receive: (message: T) => void): Pipe<T> {
    return new Pipe<T>(this, from.host, to.host, (message) => to.post(() => receive(message)));
  }

  listen(
    process: SimulatedProcess,
    { host, port }: ConnectOptions,
    onConnection: (socket: SimulatedSocket) => void,
  ): void {
    const address = `${host}:${String(port)}`;
    const listener = { process, onConnection };
    this.#listeners.set(address, listener);
    process.onExit(() => {
      if (this.#listeners.get(address) === listener) this.#listeners.delete(address);
    });
  }

  listenerAt({ host, port }: ConnectOptions): Listener | undefined {
    return this.#listeners.get(`${host}:${String(port)}`);
  }

  connect(client: SimulatedProcess, options: ConnectOptions): SimulatedSocket {
    return connectSockets(this, client, options, ++this.#ports);
  }

  /** Counts a socket as its process's until it is destroyed. */
  add(socket: SimulatedSocket): void {
    this.sockets.add(socket);
    const { process } = socket;
    if (this.#processes.has(process)) return;
    this.#processes.add(process);
    process.onExit(() => {
      for (const one of this.socketsOf(process)) one.abandon();
    });
  }

  socketsOf(process: SimulatedProcess): SimulatedSocket[] {
    return [...this.sockets].filter((socket) => socket.process === process);
  }

  /** Resolves a name, which is an address with the suffix `.sim`. */
  lookup(name: string): LookupAddress[] {
    return [{ address: name.replace(/\.sim$/, ''), family: 4 }];
  }
}

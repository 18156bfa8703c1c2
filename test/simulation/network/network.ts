import type { LookupAddress } from 'node:dns';
import type { Random } from '../../workers/soak/random.js';
import type { SimulatedProcess } from '../world/simulated-process.js';
import type { World } from '../world/world.js';
import { setNetwork } from './network-of.js';
import { Pipe } from './pipe.js';
import { type SimulatedSocket, connectSockets } from './simulated-socket.js';

export interface Latency {
  readonly leastMs: number;
  readonly mostMs: number;
  /** The share of messages that take longer, in percent, and how long these take at most. */
  readonly slowPercent: number;
  readonly slowMs: number;
}

export const USUAL_LATENCY: Latency = { leastMs: 0.2, mostMs: 1.7, slowPercent: 2, slowMs: 30 };

export interface ConnectOptions {
  readonly host: string;
  readonly port: number;
}

interface Listener {
  readonly process: SimulatedProcess;
  readonly onConnection: (socket: SimulatedSocket) => void;
}

/** After a way is free again, the sender tries again this much later at most. */
const RETRANSMISSION_MS = 400;

/** Hosts, and the ways between them. */
export class Network {
  readonly sockets = new Set<SimulatedSocket>();
  readonly #listeners = new Map<string, Listener>();
  readonly #blocked = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #slow = new Map<string, number>();
  readonly #random: Random;
  readonly #processes = new WeakSet<SimulatedProcess>();
  #ports = 40_000;

  constructor(
    readonly world: World,
    private readonly latency = USUAL_LATENCY,
  ) {
    this.#random = world.random.fork();
    setNetwork(world, this);
  }

  latencyMs(from: string, to: string): number {
    const { leastMs, mostMs, slowPercent, slowMs } = this.latency;
    const most = this.#random.chance(slowPercent) ? slowMs : mostMs;
    const drawn = leastMs + ((most - leastMs) * this.#random.between(0, 1_000)) / 1_000;
    return drawn + (this.#slow.get(way(from, to)) ?? 0);
  }

  /** Every message on this way takes so much longer. */
  slow(from: string, to: string, ms: number): void {
    this.#slow.set(way(from, to), ms);
  }

  isBlocked(from: string, to: string): boolean {
    return (this.#blocked.get(way(from, to)) ?? 0) > 0;
  }

  /** Blocks one way. Each block has to be ended by {@link free}. */
  block(from: string, to: string): void {
    const one = way(from, to);
    this.#blocked.set(one, (this.#blocked.get(one) ?? 0) + 1);
  }

  free(from: string, to: string): void {
    const one = way(from, to);
    const blocks = (this.#blocked.get(one) ?? 0) - 1;
    this.#blocked.set(one, blocks);
    if (blocks > 0) return;
    const waiting = this.#waiting.get(one) ?? [];
    this.#waiting.delete(one);
    for (const run of waiting) {
      this.world.after(this.#random.between(0, RETRANSMISSION_MS), () =>
        this.isBlocked(from, to) ? this.whenFree(from, to, run) : run(),
      );
    }
  }

  whenFree(from: string, to: string, run: () => void): void {
    const one = way(from, to);
    const waiting = this.#waiting.get(one);
    if (waiting) waiting.push(run);
    else this.#waiting.set(one, [run]);
  }

  /** A way for messages between two processes; each is handled in a turn of the receiver. */
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

  /** Counts a socket among those of its process until it is destroyed. */
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

  /** Names are addresses, with `.sim` behind them. */
  lookup(name: string): LookupAddress[] {
    return [{ address: name.replace(/\.sim$/, ''), family: 4 }];
  }
}

function way(from: string, to: string): string {
  return `${from}>${to}`;
}

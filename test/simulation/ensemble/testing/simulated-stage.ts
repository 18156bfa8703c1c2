import { EventEmitter } from 'node:events';
import type { ServerName } from '../../../differential/steps.js';
import type { Stage } from '../../../differential/play.js';
import { type ByteSocket, WireClient } from '../../../support/wire-client.js';
import type { SimulatedSocket } from '../../network/simulated-socket.js';
import { Network } from '../../network/network.js';
import { SimulatedProcess } from '../../world/simulated-process.js';
import { World } from '../../world/world.js';
import type { Member } from '../member.js';
import type { EnsembleOptions } from '../options.js';
import { Ensemble } from '../ensemble.js';

const CLIENT_PORT = 2181;

/** Simulated servers for the recorded programs that are also run on real servers. */
export class SimulatedStage implements Stage {
  readonly #world: World;
  readonly #network: Network;
  readonly #ensemble: Ensemble;
  readonly #client: SimulatedProcess;
  #roles: Partial<Record<ServerName, Member>> = {};

  constructor(options: EnsembleOptions, seed: number) {
    this.#world = new World(seed, true);
    this.#network = new Network(this.#world);
    this.#ensemble = new Ensemble(this.#world, this.#network, options);
    this.#ensemble.start();
    // The client has the same address as clients of real servers.
    const client = { name: 'client', host: '127.0.0.1', pid: 1, rate: 1 };
    const clocks = { clockMs: 0, wallMs: 1_700_000_000_000 };
    this.#client = new SimulatedProcess(this.#world, { ...client, ...clocks }, (error) => {
      throw error;
    });
  }

  get now(): number {
    return this.#world.now;
  }

  get isEnsemble(): boolean {
    return this.#ensemble.members.length > 1;
  }

  async begin(): Promise<void> {
    const { members } = this.#ensemble;
    await this.#until('all serve', () => members.every(({ isServing }) => isServing));
    // An observer of a follower connects to the first follower.
    const [follower, other] = members.filter(({ peer }) => peer.state === 'following');
    const observer = members.find(({ peer }) => peer.state === 'observing');
    const { leader } = this.#ensemble;
    this.#roles = { leader, follower, 'other follower': other, observer };
  }

  async connect(server: ServerName): Promise<WireClient<ByteSocket>> {
    const { host } = this.#member(server);
    const socket = this.#network.connect(this.#client, { host, port: CLIENT_PORT });
    let isOpen = false;
    socket.on('connect', () => void (isOpen = true));
    await this.until(() => isOpen, 1_000);
    return new WireClient(new SocketOf(this.#client, socket));
  }

  async until(condition: () => boolean, mostMs: number): Promise<boolean> {
    await inTimer(() => this.#world.runUntil(this.now + mostMs, condition));
    return condition();
  }

  async kill(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).crash());
  }

  async start(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).start());
  }

  async stop(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).stop());
  }

  async goOn(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).continue());
  }

  async serves(server: ServerName): Promise<void> {
    const member = this.#member(server);
    await this.#until(`${server} serves`, () => member.isServing);
  }

  async #until(what: string, condition: () => boolean): Promise<void> {
    if (await this.until(condition, 60_000)) return;
    throw new Error(`${what} did not happen:\n${this.#world.lines.join('\n')}`);
  }

  #member(server: ServerName): Member {
    const member = this.#roles[server];
    if (!member) throw new Error(`there is no ${server}`);
    return member;
  }
}

/** Passes calls from outside to the process, which handles them when the world continues. */
class SocketOf extends EventEmitter implements ByteSocket {
  constructor(
    private readonly process: SimulatedProcess,
    private readonly socket: SimulatedSocket,
  ) {
    super();
    for (const event of ['data', 'error', 'close']) {
      socket.on(event, (...args: unknown[]) => void this.emit(event, ...args));
    }
  }

  write(bytes: Buffer): void {
    this.process.post(() => this.socket.write(bytes));
  }

  destroy(): void {
    this.process.post(() => this.socket.destroy());
  }
}

/** Runs `body` outside of promise jobs: the simulation cannot drain these within another one. */
export function inTimer(body: () => void): Promise<void> {
  return new Promise((resolve, reject: (error: Error) => void) => {
    setImmediate(() => {
      try {
        body();
        resolve();
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

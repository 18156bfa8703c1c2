import { EventEmitter } from 'node:events';
import type { ServerName } from '../../../differential/steps.js';
import type { Stage } from '../../../differential/play.js';
import { type ByteSocket, WireClient } from '../../../support/wire-client.js';
import type { SimulatedSocket } from '../../network/simulated-socket.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { Member } from '../member.js';
import type { EnsembleOptions } from '../options.js';
import { inTimer } from './in-timer.js';
import { Scene } from './scene.js';

const CLIENT_PORT = 2181;

/** Simulated servers for the programs that real servers play, too. */
export class SimulatedStage implements Stage {
  readonly #scene: Scene;
  readonly #client: SimulatedProcess;
  #roles: Partial<Record<ServerName, Member>> = {};

  constructor(options: EnsembleOptions, seed: number) {
    this.#scene = new Scene(options, seed);
    // As the clients of real servers.
    this.#client = this.#scene.process('127.0.0.1');
  }

  get now(): number {
    return this.#scene.world.now;
  }

  get isEnsemble(): boolean {
    return this.#scene.ensemble.members.length > 1;
  }

  async begin(): Promise<void> {
    await inTimer(() => this.#scene.ready())();
    // An observer of a follower takes the first one.
    const { leader, followers, ensemble } = this.#scene;
    const observer = ensemble.members.find(({ peer }) => peer.state === 'observing');
    this.#roles = { leader, follower: followers[0]!, 'other follower': followers[1]!, observer };
  }

  async connect(server: ServerName): Promise<WireClient<ByteSocket>> {
    const { network } = this.#scene;
    const { host } = this.#member(server);
    const socket = network.connect(this.#client, { host, port: CLIENT_PORT });
    let isOpen = false;
    socket.on('connect', () => void (isOpen = true));
    await this.until(() => isOpen, 1_000);
    return new WireClient(new SocketOf(this.#client, socket));
  }

  async until(condition: () => boolean, mostMs: number): Promise<boolean> {
    const { world } = this.#scene;
    await inTimer(() => world.runUntil(world.now + mostMs, condition))();
    return condition();
  }

  async kill(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).crash())();
  }

  async start(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).start())();
  }

  async stop(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).stop())();
  }

  async goOn(server: ServerName): Promise<void> {
    await inTimer(() => this.#member(server).continue())();
  }

  async serves(server: ServerName): Promise<void> {
    const member = this.#member(server);
    await inTimer(() => this.#scene.until(`${server} serves`, () => member.isServing))();
  }

  #member(server: ServerName): Member {
    const member = this.#roles[server];
    if (!member) throw new Error(`there is no ${server}`);
    return member;
  }
}

/** What is done to it from outside is done by its process, once the world goes on. */
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

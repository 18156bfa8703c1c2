import { Network } from '../../network/network.js';
import { SimulatedProcess } from '../../world/simulated-process.js';
import { World } from '../../world/world.js';
import { Ensemble } from '../ensemble.js';
import type { Member } from '../member.js';
import type { EnsembleOptions } from '../options.js';
import { Client, type ClientOptions } from './client.js';

/** An ensemble in a world of its own, and its clients. */
export class Scene {
  readonly world: World;
  readonly network: Network;
  readonly ensemble: Ensemble;
  #clients = 0;

  constructor(options: EnsembleOptions = {}, seed = 1) {
    this.world = new World(seed, true);
    this.network = new Network(this.world);
    this.ensemble = new Ensemble(this.world, this.network, options);
    this.ensemble.start();
  }

  get leader(): Member {
    const { leader } = this.ensemble;
    if (!leader) throw new Error('there is no leader');
    return leader;
  }

  get followers(): Member[] {
    return this.ensemble.members.filter(({ peer }) => peer.state === 'following');
  }

  /** Lets everything happen until a condition is true. */
  until(what: string, condition: () => boolean, mostMs = 60_000): this {
    this.world.runUntil(this.world.now + mostMs, condition);
    if (condition()) return this;
    throw new Error(`${what} did not come to pass:\n${this.world.lines.join('\n')}`);
  }

  pass(ms: number): this {
    this.world.runUntil(this.world.now + ms);
    return this;
  }

  /** Until all servers serve. */
  ready(): this {
    const { members } = this.ensemble;
    return this.until('all serve', () => members.every(({ isServing }) => isServing));
  }

  process(host = `10.2.0.${this.#clients + 1}`): SimulatedProcess {
    return new SimulatedProcess(
      this.world,
      {
        name: `client ${++this.#clients}`,
        host,
        pid: 1,
        clockMs: 0,
        wallMs: 1_700_000_000_000,
        rate: 1,
      },
      (error) => {
        throw error;
      },
    );
  }

  client(member: Member, options: ClientOptions = {}): Client {
    return new Client(this, this.process(), member.host, options);
  }

  /** A client that has a session. */
  connected(member: Member, options: ClientOptions = {}): Client {
    const client = this.client(member, options);
    this.until('the session is open', () => client.welcome !== undefined);
    return client;
  }

  /** Cuts a server off from some others, in both directions. */
  isolate(member: Member, others: readonly { readonly host: string }[]): () => void {
    const { network } = this;
    const ways = others.flatMap<readonly [string, string]>(({ host }) => [
      [member.host, host],
      [host, member.host],
    ]);
    for (const [from, to] of ways) network.block(from, to);
    return () => {
      for (const [from, to] of ways) network.free(from, to);
    };
  }
}

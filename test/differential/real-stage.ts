import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { WireClient } from '../support/wire-client.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import type { Stage } from './play.js';
import type { Setting } from './script.js';
import type { ServerName } from './steps.js';

const POLL_MS = 1;
/** Most answers arrive within this many turns of the event loop. */
const TURNS = 100;

/** A server of which only the port is known. */
export class PortStage implements Stage {
  constructor(
    private readonly port: number,
    readonly isEnsemble = false,
  ) {}

  get now(): number {
    return performance.now();
  }

  async begin(): Promise<void> {}

  connect(server: ServerName): Promise<WireClient> {
    return WireClient.open(this.portOf(server));
  }

  async until(condition: () => boolean, mostMs: number): Promise<boolean> {
    const deadline = this.now + mostMs;
    for (let turns = 0; !condition(); turns++) {
      if (this.now >= deadline) return false;
      if (turns < TURNS) await nextTurn();
      else await sleep(POLL_MS);
    }
    return true;
  }

  kill = refuse;
  start = refuse;
  stop = refuse;
  goOn = refuse;
  serves = refuse;

  protected portOf(_server: ServerName): number {
    return this.port;
  }
}

async function refuse(server: ServerName): Promise<void> {
  throw new Error(`${server} is not ours`);
}

/** Apache's servers, started for one or more scripts. */
export class RealStage extends PortStage implements AsyncDisposable {
  #roles: Partial<Record<ServerName, ZooKeeperServer>> = {};

  private constructor(private readonly all: ZooKeeperServer | ZooKeeperEnsemble) {
    super(0, all instanceof ZooKeeperEnsemble);
    this.kill = (server) => this.#server(server).kill();
    this.start = async (server) => this.#server(server).launch();
    this.stop = (server) => this.#server(server).pause();
    this.goOn = async (server) => this.#server(server).resume();
    this.serves = async (server) => {
      await this.#server(server).ready();
    };
  }

  static async open({
    servers,
    maxFrameBytes,
    readOnlyMode,
    ...options
  }: Setting): Promise<RealStage> {
    const whole = {
      ...options,
      systemProperties: {
        'zookeeper.extendedTypesEnabled': 'true',
        'readonlymode.enabled': String(readOnlyMode ?? false),
        ...(maxFrameBytes === undefined ? {} : { 'jute.maxbuffer': String(maxFrameBytes) }),
      },
    };
    if (servers === 1) return new RealStage(await ZooKeeperServer.start(whole));
    return new RealStage(await ZooKeeperEnsemble.start({ ...whole, observers: servers - 3 }));
  }

  override async begin(): Promise<void> {
    const { all } = this;
    if (all instanceof ZooKeeperServer) {
      this.#roles = { leader: all };
      return;
    }
    const leader = await all.leader();
    const { observerMaster } = all;
    const followers = await all.followers();
    if (observerMaster) followers.sort((one) => (one === observerMaster ? -1 : 1));
    const names = ['follower', 'other follower', 'observer'] as const;
    const others = [...followers, ...all.observers];
    this.#roles = { leader };
    for (const [index, one] of others.entries()) this.#roles[names[index]!] = one;
  }

  /** The version, such as "3.8.0". */
  async version(): Promise<string> {
    const answer = await this.#server('leader').fourLetterWord('srvr');
    return /^Zookeeper version: (\d+\.\d+\.\d+)/.exec(answer)![1]!;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.all.stop();
  }

  protected override portOf(server: ServerName): number {
    return this.#server(server).port;
  }

  #server(name: ServerName): ZooKeeperServer {
    const server = this.#roles[name];
    if (!server) throw new Error(`there is no ${name}`);
    return server;
  }
}

import { freePort } from './free-port.js';
import { waitFor } from './wait-for.js';
import {
  ZooKeeperServer,
  type ServerMode,
  type ZooKeeperServerOptions,
} from './zookeeper-server.js';

/** A quorum link: the connection a follower keeps to the member that leads. */
export interface QuorumLink {
  /** The server that connects: a member, 1 to 3, or an observer, from 4. */
  readonly from: number;
  /** The member that it connects to. */
  readonly to: number;
  /** The port on which that member listens. */
  readonly port: number;
}

export interface ZooKeeperEnsembleOptions extends Omit<
  ZooKeeperServerOptions,
  'id' | 'port' | 'extraConfig' | 'clockOffsetMs'
> {
  /** Ticks by which a follower may lag before either side gives up. @default 10 */
  readonly syncLimit?: number;
  /**
   * Gives the port that one member uses to reach another one: that of a `FaultProxy` to `link.port`,
   * to be able to freeze the link. @default the port itself
   */
  readonly routeQuorumLink?: (link: QuorumLink) => Promise<number> | number;
  /** Servers that do not vote, numbered from 4. @default 0 */
  readonly observers?: number;
  /**
   * Observers follow a follower, chosen at the start, instead of the leader. They do not serve
   * while that follower is down or leads. @default false
   */
  readonly observerMaster?: boolean;
  /** More configuration lines for the server with this number; they replace the default ones. */
  readonly extraConfigOf?: (id: number) => Readonly<Record<string, string | number>>;
}

type Config = Record<string, string | number>;

const MEMBERS = 3;

/**
 * After this time a member gives up on an unreachable leader, whatever the tick: tests wait for it.
 */
const INIT_MS = 10_000;

/** Three real servers on 127.0.0.1 that elect a leader, and observers if configured. */
export class ZooKeeperEnsemble implements AsyncDisposable {
  readonly #observers: ZooKeeperServer[] = [];
  #observerMaster: ZooKeeperServer | undefined;

  private constructor(readonly members: readonly ZooKeeperServer[]) {}

  /** Starts the servers and waits until all of them serve. */
  static async start(options: ZooKeeperEnsembleOptions = {}): Promise<ZooKeeperEnsemble> {
    const { observers = 0, observerMaster, extraConfigOf, routeQuorumLink, ...common } = options;
    const configs = await configsOf(MEMBERS + observers, options);
    const masterPorts: number[] = [];
    const prepare = (id: number, config: Config): Promise<ZooKeeperServer> =>
      ZooKeeperServer.prepare({
        ...common,
        id,
        extraConfig: { ...configs[id - 1], ...config, ...extraConfigOf?.(id) },
      });

    const members: ZooKeeperServer[] = [];
    for (let id = 1; id <= MEMBERS; id++) {
      if (observerMaster) masterPorts.push(await freePort());
      members.push(await prepare(id, masterPortConfig(masterPorts.at(-1))));
    }
    const ensemble = new ZooKeeperEnsemble(members);
    try {
      await startAll(members);
      const [master] = await ensemble.followers();
      const to = master ? ensemble.idOf(master) : 0;
      if (observerMaster) ensemble.#observerMaster = master;
      for (let from = MEMBERS + 1; from <= configs.length; from++) {
        const port = masterPorts[to - 1];
        const routed = port && routeQuorumLink ? await routeQuorumLink({ from, to, port }) : port;
        const config = { peerType: 'observer', ...masterPortConfig(routed) };
        ensemble.#observers.push(await prepare(from, config));
      }
      await startAll(ensemble.#observers);
    } catch (error) {
      await ensemble.stop();
      throw error;
    }
    return ensemble;
  }

  get observers(): readonly ZooKeeperServer[] {
    return this.#observers;
  }

  /** The follower that observers connect to, if they do not connect to the leader. */
  get observerMaster(): ZooKeeperServer | undefined {
    return this.#observerMaster;
  }

  /** All members, without observers; a client tries them in its own order. */
  get connectString(): string {
    return this.members.map(({ connectString }) => connectString).join(',');
  }

  /** The member with this number, 1 to 3. */
  member(id: number): ZooKeeperServer {
    const member = this.members[id - 1];
    if (!member) throw new Error(`no member ${String(id)}`);
    return member;
  }

  /** Members and observers, in the order of their numbers. */
  get servers(): readonly ZooKeeperServer[] {
    return [...this.members, ...this.#observers];
  }

  /** The number of a server, as in {@link QuorumLink}. */
  idOf(server: ZooKeeperServer): number {
    return this.servers.indexOf(server) + 1;
  }

  /** The member that leads, as soon as there is one. */
  async leader(): Promise<ZooKeeperServer> {
    // A stopped member does not answer, and another one may lead.
    return waitFor(async () => (await this.#inMode('leader', 1_000))[0], { what: 'a leader' });
  }

  /** The current followers. */
  async followers(): Promise<ZooKeeperServer[]> {
    return this.#inMode('follower');
  }

  /**
   * Restarts all servers, with another number for the next sequential child of a directory. Observers
   * may serve later.
   */
  async setNextSequence(directory: string, next: number): Promise<void> {
    const leader = await this.leader();
    const others = this.servers.filter((server) => server !== leader);
    const zxid = await leader.lastZxid();
    await Promise.all(others.map((server) => server.halt()));
    // The server that stops last has all transactions.
    await leader.halt();
    leader.logNextSequence(zxid, directory, next);
    for (const member of this.members) if (member !== leader) member.copyData(leader);
    for (const observer of this.observers) observer.launch();
    await startAll(this.members);
  }

  /** Ends all servers and removes their data. */
  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #inMode(wanted: ServerMode, timeoutMs?: number): Promise<ZooKeeperServer[]> {
    const asked = this.members.map((member) => member.mode(timeoutMs).catch(() => null));
    const modes = await Promise.all(asked);
    return this.members.filter((_, index) => modes[index] === wanted);
  }
}

/** The configuration with which the servers find each other. */
async function configsOf(
  servers: number,
  {
    syncLimit = 10,
    tickTimeMs = 500,
    routeQuorumLink: route = ({ port }) => port,
  }: ZooKeeperEnsembleOptions,
): Promise<Config[]> {
  const ids = Array.from({ length: servers }, (_, index) => index + 1);
  const ports = new Map<number, { quorum: number; election: number }>();
  for (const id of ids) ports.set(id, { quorum: await freePort(), election: await freePort() });

  const configs: Config[] = [];
  for (const from of ids) {
    const config: Config = { syncLimit, initLimit: Math.ceil(INIT_MS / tickTimeMs) };
    for (const [to, { quorum, election }] of ports) {
      const isLink = from !== to && to <= MEMBERS;
      const port = isLink ? await route({ from, to, port: quorum }) : quorum;
      const role = to > MEMBERS ? ':observer' : '';
      config[`server.${String(to)}`] = `127.0.0.1:${String(port)}:${String(election)}${role}`;
    }
    configs.push(config);
  }
  return configs;
}

function masterPortConfig(port: number | undefined): Config {
  return port === undefined ? {} : { observerMasterPort: port };
}

async function startAll(servers: readonly ZooKeeperServer[]): Promise<void> {
  for (const server of servers) server.launch();
  await Promise.all(servers.map((server) => server.ready()));
}

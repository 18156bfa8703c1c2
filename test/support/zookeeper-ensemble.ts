import { freePort } from './free-port.js';
import { waitFor } from './wait-for.js';
import {
  ZooKeeperServer,
  type ServerMode,
  type ZooKeeperServerOptions,
} from './zookeeper-server.js';

/** A quorum link: the connection a follower keeps to the member that leads. */
export interface QuorumLink {
  /** The member that connects, 1 to 3. */
  readonly from: number;
  /** The member that it connects to. */
  readonly to: number;
  /** Where that member listens. */
  readonly port: number;
}

export interface ZooKeeperEnsembleOptions extends Omit<
  ZooKeeperServerOptions,
  'id' | 'port' | 'extraConfig'
> {
  /** Ticks that a follower may lag behind before either side gives up. @default 10 */
  readonly syncLimit?: number;
  /**
   * Gives the port that one member uses to reach another one: that of a `FaultProxy` to `link.port`,
   * to be able to freeze the link. @default the port itself
   */
  readonly routeQuorumLink?: (link: QuorumLink) => Promise<number> | number;
}

const ids = [1, 2, 3] as const;

/** Three real servers on 127.0.0.1 that elect a leader among them. */
export class ZooKeeperEnsemble implements AsyncDisposable {
  private constructor(readonly members: readonly ZooKeeperServer[]) {}

  /** Starts the members and waits until all of them serve. */
  static async start(options: ZooKeeperEnsembleOptions = {}): Promise<ZooKeeperEnsemble> {
    const { syncLimit = 10, routeQuorumLink, ...common } = options;
    const route = routeQuorumLink ?? ((link: QuorumLink): number => link.port);
    const ports = new Map<number, { quorum: number; election: number }>();
    for (const id of ids) ports.set(id, { quorum: await freePort(), election: await freePort() });

    const members: ZooKeeperServer[] = [];
    for (const from of ids) {
      const extraConfig: Record<string, string | number> = { syncLimit, initLimit: 20 };
      for (const [to, { quorum, election }] of ports) {
        const port = from === to ? quorum : await route({ from, to, port: quorum });
        extraConfig[`server.${String(to)}`] = `127.0.0.1:${String(port)}:${String(election)}`;
      }
      members.push(await ZooKeeperServer.prepare({ ...common, id: from, extraConfig }));
    }
    const ensemble = new ZooKeeperEnsemble(members);
    try {
      for (const member of members) member.launch();
      await Promise.all(members.map((member) => member.ready()));
    } catch (error) {
      await ensemble.stop();
      throw error;
    }
    return ensemble;
  }

  /** All members; a client tries them in an order of its own. */
  get connectString(): string {
    return this.members.map(({ connectString }) => connectString).join(',');
  }

  /** The member with this number, 1 to 3. */
  member(id: number): ZooKeeperServer {
    const member = this.members[id - 1];
    if (!member) throw new Error(`no member ${String(id)}`);
    return member;
  }

  /** The number of a member, as in {@link QuorumLink}. */
  idOf(member: ZooKeeperServer): number {
    return this.members.indexOf(member) + 1;
  }

  /** The member that leads, as soon as there is one. */
  async leader(): Promise<ZooKeeperServer> {
    return waitFor(async () => (await this.#inMode('leader'))[0], { what: 'a leader' });
  }

  /** The members that follow now. */
  async followers(): Promise<ZooKeeperServer[]> {
    return this.#inMode('follower');
  }

  /** Ends all members and removes their data. */
  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #inMode(wanted: ServerMode): Promise<ZooKeeperServer[]> {
    const modes = await Promise.all(this.members.map((member) => member.mode().catch(() => null)));
    return this.members.filter((_, index) => modes[index] === wanted);
  }
}

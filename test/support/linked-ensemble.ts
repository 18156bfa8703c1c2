import { FaultProxy, RelayHost } from './fault-proxy.js';
import {
  type QuorumLink,
  ZooKeeperEnsemble,
  type ZooKeeperEnsembleOptions,
} from './zookeeper-ensemble.js';
import type { ZooKeeperServer } from './zookeeper-server.js';

type ProxiedLink = QuorumLink & { readonly proxy: FaultProxy };

export type LinkedEnsembleOptions = Omit<ZooKeeperEnsembleOptions, 'syncLimit' | 'routeQuorumLink'>;

/**
 * Three servers with links that can be frozen. A server that has lost its leader, or its followers,
 * goes on unchanged for half a minute (`syncLimit`).
 */
export class LinkedEnsemble implements AsyncDisposable {
  private constructor(
    readonly servers: ZooKeeperEnsemble,
    private readonly links: readonly ProxiedLink[],
    /** A process that can host further proxies. */
    readonly relays: RelayHost,
  ) {}

  static async start(options: LinkedEnsembleOptions = {}): Promise<LinkedEnsemble> {
    const relays = await RelayHost.start();
    const links: ProxiedLink[] = [];
    const servers = await ZooKeeperEnsemble.start({
      ...options,
      syncLimit: 60,
      routeQuorumLink: async (link) => {
        const proxy = await FaultProxy.startBlind(link.port, relays);
        links.push({ ...link, proxy });
        return proxy.port;
      },
    });
    return new LinkedEnsemble(servers, links, relays);
  }

  /** Freezes the link between a follower, or an observer, and the server that it follows. */
  freezeLinksFrom(follower: ZooKeeperServer): Promise<void> {
    return this.#freeze(({ from }) => from === this.servers.idOf(follower));
  }

  /** Freezes the link from a follower to its leader, but not the link back. */
  async freezeReportsFrom(follower: ZooKeeperServer): Promise<void> {
    await Promise.all(this.#linksFrom(follower).map(({ proxy }) => proxy.freezeTowards('server')));
  }

  /** The number of bytes that a follower has sent to its leader. */
  async bytesFrom(follower: ZooKeeperServer): Promise<number> {
    const bytes = await Promise.all(this.#linksFrom(follower).map(({ proxy }) => proxy.bytes()));
    return bytes.reduce((sum, { server }) => sum + server, 0);
  }

  /** Freezes the links between a leader and its followers. */
  freezeLinksTo(leader: ZooKeeperServer): Promise<void> {
    return this.#freeze(({ to }) => to === this.servers.idOf(leader));
  }

  /**
   * Freezes the links between the leader and its followers, which restart without it; resolves once
   * they serve.
   */
  async depose(leader: ZooKeeperServer): Promise<void> {
    const followers = this.servers.members.filter((member) => member !== leader);
    await this.freezeLinksTo(leader);
    // Without a restart they would notice after `syncLimit`, and then elect one of them.
    await Promise.all(followers.map((follower) => follower.kill()));
    await Promise.all(followers.map((follower) => follower.restart()));
  }

  /** Passes on all bytes that were held back, and those that follow. */
  async thawLinks(): Promise<void> {
    await Promise.all(this.links.map(({ proxy }) => proxy.thaw()));
  }

  async stop(): Promise<void> {
    await this.servers.stop();
    await this.relays.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #linksFrom(follower: ZooKeeperServer): ProxiedLink[] {
    return this.links.filter(({ from }) => from === this.servers.idOf(follower));
  }

  async #freeze(isMeant: (link: QuorumLink) => boolean): Promise<void> {
    await Promise.all(this.links.filter(isMeant).map(({ proxy }) => proxy.freeze()));
  }
}

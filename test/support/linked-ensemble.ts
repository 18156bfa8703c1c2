import { onTestFinished } from 'vitest';
import { FaultProxy } from './fault-proxy.js';
import { ZooKeeperEnsemble, type QuorumLink } from './zookeeper-ensemble.js';
import type { ZooKeeperServer } from './zookeeper-server.js';

/**
 * Three servers whose links to each other can be frozen, ended when the test is over. One that has
 * lost its leader, or its followers, goes on as if nothing were for ten seconds (`syncLimit`).
 */
export class LinkedEnsemble {
  private constructor(
    readonly servers: ZooKeeperEnsemble,
    private readonly links: readonly (QuorumLink & { readonly proxy: FaultProxy })[],
  ) {}

  static async open(): Promise<LinkedEnsemble> {
    const links: (QuorumLink & { proxy: FaultProxy })[] = [];
    const servers = await ZooKeeperEnsemble.start({
      syncLimit: 20,
      routeQuorumLink: async (link) => {
        const proxy = await FaultProxy.startBlind(link.port);
        links.push({ ...link, proxy });
        return proxy.port;
      },
    });
    onTestFinished(async () => {
      await servers.stop();
      await Promise.all(links.map(({ proxy }) => proxy.stop()));
    });
    return new LinkedEnsemble(servers, links);
  }

  /** Nothing passes any more between a follower and whoever leads it. */
  freezeLinksFrom(follower: ZooKeeperServer): Promise<void> {
    return this.#freeze(({ from }) => from === this.servers.idOf(follower));
  }

  /** Nothing passes any more between a leader and its followers. */
  freezeLinksTo(leader: ZooKeeperServer): Promise<void> {
    return this.#freeze(({ to }) => to === this.servers.idOf(leader));
  }

  async #freeze(isMeant: (link: QuorumLink) => boolean): Promise<void> {
    await Promise.all(this.links.filter(isMeant).map(({ proxy }) => proxy.freeze()));
  }
}

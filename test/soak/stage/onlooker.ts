import { sessionIdsIn } from '../../support/four-letter-word.js';
import { InspectClient } from '../../support/inspect-client.js';
import type { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';

/** Inspects the servers from outside. */
export class Onlooker {
  constructor(private readonly ensemble: ZooKeeperEnsemble) {}

  /** Asks the leader in a session that ends with the answer. */
  async ask<T>(question: (inspector: InspectClient) => Promise<T>): Promise<T> {
    const { connectString } = await this.ensemble.leader();
    await using inspector = await InspectClient.connect(connectString);
    return await question(inspector);
  }

  /** The nodes below a root that match a filter, described with their owners and data. */
  nodes(root: string, isMeant: (path: string) => boolean): Promise<string[]> {
    return this.ask(async (inspector) => {
      const paths = (await inspector.tree(root)).filter(isMeant);
      const nodes = paths.map(async (path) => {
        const node = await inspector.get(path).catch(() => undefined);
        return node ? [`${path} (${JSON.stringify(node.stat)}, ${String(node.data)})`] : [];
      });
      return (await Promise.all(nodes)).flat();
    });
  }

  /** The number of watches on all servers. */
  async watches(): Promise<number> {
    const counts = this.ensemble.servers.map(async (server) => {
      const answer = await server.fourLetterWord('wchs');
      // This observer's server leads, so the observer has no clients.
      if (answer.includes('not currently serving')) return 0;
      return Number(/^Total watches:(\d+)$/m.exec(answer)?.[1]);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** The ids of all open sessions, with or without ephemeral nodes, as the leader knows them. */
  async sessions(): Promise<string[]> {
    const leader = await this.ensemble.leader();
    return sessionIdsIn(await leader.fourLetterWord('dump'));
  }
}

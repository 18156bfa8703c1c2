import { sessionIdsIn } from '../../support/four-letter-word.js';
import { InspectClient } from '../../support/inspect-client.js';
import type { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';

/** Looks at the servers from outside. */
export class Onlooker {
  constructor(private readonly ensemble: ZooKeeperEnsemble) {}

  /** Asks the leader, by a session that ends with the question. */
  async ask<T>(question: (inspector: InspectClient) => Promise<T>): Promise<T> {
    const { connectString } = await this.ensemble.leader();
    await using inspector = await InspectClient.connect(connectString);
    return await question(inspector);
  }

  /** The nodes below a root that pass a filter, each with its owner and data, in readable form. */
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

  /** How many watches all servers together keep. */
  async watches(): Promise<number> {
    const counts = this.ensemble.servers.map(async (server) => {
      const answer = await server.fourLetterWord('wchs');
      // An observer whose server leads, which has no clients.
      if (answer.includes('not currently serving')) return 0;
      return Number(/^Total watches:(\d+)$/m.exec(answer)?.[1]);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** The ids of the sessions that own ephemeral nodes or are merely open, as the leader knows them. */
  async sessions(): Promise<string[]> {
    const leader = await this.ensemble.leader();
    return sessionIdsIn(await leader.fourLetterWord('dump'));
  }
}

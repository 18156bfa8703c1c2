import type { ZooKeeperServer } from '../support/zookeeper-server.js';

/** What the server keeps for its clients. */
export interface ServerGauge {
  readonly sessions: number;
  readonly watches: number;
  readonly ephemerals: number;
  readonly znodes: number;
}

export async function measureServer(server: ZooKeeperServer): Promise<ServerGauge> {
  const answer = await server.fourLetterWord('mntr');
  const value = (name: string): number => {
    const found = new RegExp(`^zk_${name}\\t(\\d+)$`, 'm').exec(answer)?.[1];
    if (found === undefined) throw new Error(`the server says nothing of zk_${name}`);
    return Number(found);
  };
  return {
    sessions: value('global_sessions'),
    watches: value('watch_count'),
    ephemerals: value('ephemerals_count'),
    znodes: value('znode_count'),
  };
}

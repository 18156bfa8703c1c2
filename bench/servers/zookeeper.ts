import { ZooKeeperEnsemble } from '../../test/support/zookeeper-ensemble.js';
import { ZooKeeperServer } from '../../test/support/zookeeper-server.js';
import type { RunningServer } from './running-server.js';

/**
 * ZooKeeper's own defaults, where the tests' settings trade durability and speed for a quick start.
 */
const AS_IT_COMES = {
  tickTimeMs: 2_000,
  containerCheckIntervalMs: 60_000,
  systemProperties: { 'zookeeper.forceSync': 'yes', 'zookeeper.preAllocSize': '65536' },
  // The default of `zkServer.sh`.
  javaOptions: ['-Xmx1000m'],
} as const;

export async function startZooKeeper(): Promise<RunningServer & { server: ZooKeeperServer }> {
  const server = await ZooKeeperServer.start(AS_IT_COMES);
  return { server, ports: [server.port], stop: () => server.stop() };
}

export async function startZooKeeperEnsemble(): Promise<RunningServer> {
  const ensemble = await ZooKeeperEnsemble.start(AS_IT_COMES);
  return { ports: ensemble.members.map(({ port }) => port), stop: () => ensemble.stop() };
}

import { onTestFinished } from 'vitest';
import { LinkedEnsemble, type LinkedEnsembleOptions } from './linked-ensemble.js';
import { startServer, type TestServer } from './test-server.js';
import { ZooKeeperEnsemble, type ZooKeeperEnsembleOptions } from './zookeeper-ensemble.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

/** Stops it after the test. */
function own<T extends { stop(): Promise<void> }>(server: T): T {
  onTestFinished(() => server.stop());
  return server;
}

/** A server of this test project's kind, stopped after the test. */
export async function openServer(options?: ZooKeeperServerOptions): Promise<TestServer> {
  return own(await startServer(options));
}

/** A real ZooKeeper server in any test project, stopped after the test. */
export async function openZooKeeper(options?: ZooKeeperServerOptions): Promise<ZooKeeperServer> {
  return own(await ZooKeeperServer.start(options));
}

/** Three servers, stopped after the test. */
export async function openEnsemble(options?: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble> {
  return own(await ZooKeeperEnsemble.start(options));
}

/** An ensemble with links that can be frozen, stopped after the test. */
export async function openLinkedEnsemble(options?: LinkedEnsembleOptions): Promise<LinkedEnsemble> {
  return own(await LinkedEnsemble.start(options));
}

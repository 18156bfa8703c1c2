import { onTestFinished } from 'vitest';
import { LinkedEnsemble, type LinkedEnsembleOptions } from './linked-ensemble.js';
import { startServer, type TestServer } from './test-server.js';
import { ZooKeeperEnsemble, type ZooKeeperEnsembleOptions } from './zookeeper-ensemble.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

/** Ends it when the test is over. */
function own<T extends { stop(): Promise<void> }>(server: T): T {
  onTestFinished(() => server.stop());
  return server;
}

/** A server of the kind that this project of tests is run against, ended when the test is over. */
export async function openServer(options?: ZooKeeperServerOptions): Promise<TestServer> {
  return own(await startServer(options));
}

/** Apache's server, whatever the project of tests, ended when the test is over. */
export async function openZooKeeper(options?: ZooKeeperServerOptions): Promise<ZooKeeperServer> {
  return own(await ZooKeeperServer.start(options));
}

/** Three servers, ended when the test is over. */
export async function openEnsemble(options?: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble> {
  return own(await ZooKeeperEnsemble.start(options));
}

/** An ensemble with links that can be frozen, ended when the test is over. */
export async function openLinkedEnsemble(options?: LinkedEnsembleOptions): Promise<LinkedEnsemble> {
  return own(await LinkedEnsemble.start(options));
}

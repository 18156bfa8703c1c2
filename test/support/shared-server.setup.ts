import type { TestProject } from 'vitest/node';
import { ZooKeeperServer } from './zookeeper-server.js';
import type {} from './shared-server.js';

/** Starts the one server that all integration tests share which do not stop theirs. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await ZooKeeperServer.start();
  project.provide('sharedServerPort', server.port);
  return () => server.stop();
}

import type { TestProject } from 'vitest/node';
import type {} from './shared-server.js';
import { startServerOfKind } from './test-server.js';

/** Starts the one server that all tests of a project share which do not stop theirs. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kind = project.getProvidedContext().serverKind;
  const server = await startServerOfKind(kind, {
    // A real server has nodes with a TTL only where it is told to.
    systemProperties: { 'zookeeper.extendedTypesEnabled': 'true' },
  });
  project.provide('sharedServerPort', server.port);
  return () => server.stop();
}

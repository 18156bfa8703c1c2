import type { TestProject } from 'vitest/node';
import type {} from './shared-server.js';
import { startServerOfKind } from './test-server.js';

/**
 * Starts the servers that the tests of a project share which do not stop theirs: one for each file
 * of tests that may run at the same time, since tests count what is on a server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kind = project.getProvidedContext().serverKind;
  const servers = await Promise.all(
    Array.from({ length: project.config.maxWorkers }, () =>
      startServerOfKind(kind, {
        // A real server has nodes with a TTL only where it is told to.
        systemProperties: { 'zookeeper.extendedTypesEnabled': 'true' },
      }),
    ),
  );
  const ports = servers.map(({ port }) => port);
  project.provide('sharedServerPorts', ports);
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
}

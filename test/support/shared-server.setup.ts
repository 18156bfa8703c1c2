import type { TestProject } from 'vitest/node';
import type {} from './shared-server.js';
import { startServerOfKind } from './test-server.js';

/**
 * Starts the shared servers of a test project, for tests that do not stop their server. Each file
 * that may run at the same time gets one, because tests count what is on a server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kind = project.getProvidedContext().serverKind;
  const servers = await Promise.all(
    Array.from({ length: project.config.maxWorkers }, () =>
      startServerOfKind(kind, {
        // A real server has TTL nodes only if configured.
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

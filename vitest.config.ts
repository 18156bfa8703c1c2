import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Tests read the library's sources; only processes that tests start run what was built. */
const alias = [
  { find: /^nestjs-zk-lock$/, replacement: source('./libs/zk-lock/src/index.ts') },
  { find: /^nestjs-zk-lock\/(\w+)$/, replacement: source('./libs/zk-lock/src/$1/index.ts') },
];

/** `forks`: npm `zookeeper` crashes the process when a second thread loads it. */
const pool = 'forks';

export default defineConfig({
  test: {
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          pool,
          include: ['{libs,apps}/*/src/**/*.spec.ts', 'test/support/**/*.spec.ts'],
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          pool,
          include: ['test/**/*.e2e-spec.ts', 'test/faults/**/*.spec.ts'],
          globalSetup: 'test/support/shared-server.setup.ts',
          fileParallelism: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});

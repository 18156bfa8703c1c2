import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Makes the fixtures in libs/zk-protocol/src/golden again, from a real server and real clients:
 *
 *     npx vitest run --config test/protocol/capture/vitest.config.ts
 *
 * It wants Debian's packages zookeeper, python3-kazoo and a JDK.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  resolve: {
    alias: {
      'zk-protocol': fileURLToPath(
        new URL('../../../libs/zk-protocol/src/index.ts', import.meta.url),
      ),
    },
  },
  test: {
    pool: 'forks',
    include: ['test/protocol/*.e2e-spec.ts', 'test/protocol/capture/*.capture.ts'],
    env: { CAPTURE_GOLDEN: 'yes' },
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

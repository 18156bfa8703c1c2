import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `npm run matrix` sets it to 11: then the tests of Nest run with the one that test/compat has. */
const withNest11 = process.env.NEST === '11';
const nest11 = {
  find: /^(@nestjs\/.+|nestjs-cls)$/,
  replacement: source('./test/compat/nest11/node_modules/$1'),
};

/** Tests read the libraries' sources; only the processes and threads that they start run what was built. */
const alias = [
  ...(withNest11 ? [nest11] : []),
  { find: /^nestjs-zk-lock$/, replacement: source('./libs/nestjs-zk-lock/src/index.ts') },
  { find: /^nestjs-zk-lock\/(\w+)$/, replacement: source('./libs/nestjs-zk-lock/src/$1/index.ts') },
  { find: /^zk-locks$/, replacement: source('./libs/zk-locks/src/index.ts') },
  {
    find: /^zk-locks\/(events|framework|inspect)$/,
    replacement: source('./libs/zk-locks/src/$1/index.ts'),
  },
  { find: /^zk-client\/(\w+)$/, replacement: source('./libs/zk-client/src/$1/index.ts') },
  { find: /^zk-client$/, replacement: source('./libs/zk-client/src/index.ts') },
  { find: /^zk-protocol$/, replacement: source('./libs/zk-protocol/src/index.ts') },
];

/** Each project's: a warning of Node fails the run. */
const setupFiles = source('./test/support/fail-on-warning.mjs');

/** zk-embedded is run as it is built: its server is a thread, to which no alias applies. */
const server = { deps: { external: [/\/libs\/zk-embedded\/dist\//] } };

/**
 * `forks`: npm `zookeeper` crashes the process when a second thread loads it. Files follow one another in
 * a process, which loads the libraries and Nest once: more than half of the CPU time otherwise.
 */
const inProcesses = {
  ...{ setupFiles, server, pool: 'forks', isolate: false },
  // Vitest gives a condition one second, which a busy machine may need for anything.
  expect: { poll: { timeout: 30_000 } },
} as const;

/** Tests that need a server, which they start before and end after; most of the time they wait for it. */
const integration = {
  ...inProcesses,
  setupFiles: [setupFiles, source('./test/support/server.setup.ts')],
  maxWorkers: 5,
  sequence: { groupOrder: 1 },
  globalSetup: 'test/support/shared-server.setup.ts',
  testTimeout: 90_000,
  hookTimeout: 90_000,
};

/** Each project says its client, for the processes that its tests start as well. */
const withWire = { ZK_LOCKS_CLIENT: 'wire' };
const withNative = { ZK_LOCKS_CLIENT: 'native' };

/** The lock board's page with 10,000 keys, which keeps a machine busy. */
const MANY_KEYS = ['test/board-page/{busy,many}.e2e-spec.ts'];

/**
 * Short forms of programs that run for hours, the demo as a whole, pages in a browser, and what takes a while:
 * ensembles, what servers do that are configured or restarted otherwise, and much that strangers have stored.
 */
const LONG_RUNS = [
  'test/{endurance,soak,simulation,demo,demo-page,board-page}/**/*.e2e-spec.ts',
  'test/*/long/*.e2e-spec.ts',
  'bench/bench.e2e-spec.ts',
];

/** They name their client themselves, or ask no server, or one that lies: once is enough. */
const ONCE = ['test/locks/margin.e2e-spec.ts', 'test/client/without-native.e2e-spec.ts'];

/** What depends on connections, requests, answers and events; the rest stands above all clients. */
const BY_CLIENT = [
  'test/{client,session}/**/*.e2e-spec.ts',
  'test/faults/*.e2e-spec.ts',
  'test/locks/{break-lock,chroot,cohort,downgrade,election,herd,holding,inspection,kept-locks}.e2e-spec.ts',
  'test/locks/{multi-lock,revocation,semaphore,upgradable,upgrade-races,waiting,zk-client}.e2e-spec.ts',
  'test/security/{enforced-authentication,sasl}.e2e-spec.ts',
  'test/nest/health.e2e-spec.ts',
];

/**
 * They name the client `wire`, the only one that can do what they try, or hold back the answer to one of
 * its requests; or they are about when servers end sessions, and what the lease makes of it.
 */
const WIRE_ONLY = [
  'test/faults/{cut-off-servers,unreachable-servers,wrong-servers}.e2e-spec.ts',
  'test/faults/{late-answers,no-lasting-watches,outage,short-frames,stopped-writer,users-watches}.e2e-spec.ts',
];

/** What this machine lacks, as `scripts/test.mjs` has found: their tests are not in `embedded` then. */
const missing = (process.env.TESTS_WITHOUT ?? '').split(',');
const NEEDED = {
  interop: ['test/interop/**'],
  native: ['test/locks/{documentation,upgrade-races,zk-client}.e2e-spec.ts'],
};

/** What each project finds that no other does: docs/decisions/0020-test-runs.md. */
export default defineConfig({
  test: {
    reporters: ['default', 'json'],
    outputFile: { json: 'reports/tests.json' },
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        resolve: { alias },
        test: {
          ...inProcesses,
          name: 'unit',
          maxWorkers: 2,
          // As the others: some compile TypeScript, on machines that are busy.
          testTimeout: 90_000,
          include: ['{libs,apps}/*/src/**/*.spec.ts', '{test,bench}/**/*.spec.ts'],
        },
      },
      {
        resolve: { alias },
        test: {
          ...integration,
          name: 'integration',
          include: ['{test,bench}/**/*.e2e-spec.ts'],
          exclude: LONG_RUNS,
          provide: { serverKind: 'real' },
          env: withWire,
        },
      },
      {
        resolve: { alias },
        test: {
          ...integration,
          name: 'native',
          include: BY_CLIENT,
          exclude: [...ONCE, ...WIRE_ONLY],
          provide: { serverKind: 'real' },
          env: withNative,
        },
      },
      {
        resolve: { alias },
        test: {
          ...integration,
          name: 'embedded',
          include: [
            'test/{client,conformance,locks,session,zk-client}/**/*.e2e-spec.ts',
            'test/interop/{curator,kazoo}.e2e-spec.ts',
          ],
          exclude: [
            ...ONCE,
            // Ours has no SASL.
            'test/zk-client/sasl.e2e-spec.ts',
            ...(missing.includes('interop') ? NEEDED.interop : []),
            ...(missing.includes('native') ? NEEDED.native : []),
          ],
          provide: { serverKind: 'embedded' },
          env: withWire,
        },
      },
      {
        resolve: { alias },
        test: {
          ...integration,
          // The programs start all they need.
          setupFiles,
          name: 'long',
          maxWorkers: 3,
          // What takes half a minute alone must not end while its machine is busy.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          sequence: { groupOrder: 2 },
          provide: { serverKind: 'real' },
          env: withWire,
          include: LONG_RUNS,
          exclude: MANY_KEYS,
        },
      },
      {
        resolve: { alias },
        test: {
          ...integration,
          // Alone: other browsers beside it would take longer than their tests allow.
          name: 'browser',
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          provide: { serverKind: 'real' },
          env: withWire,
          include: MANY_KEYS,
        },
      },
    ],
  },
});

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
  { find: /^nestjs-zk-lock$/, replacement: source('./libs/zk-lock/src/index.ts') },
  { find: /^nestjs-zk-lock\/(\w+)$/, replacement: source('./libs/zk-lock/src/$1/index.ts') },
  { find: /^zk-client$/, replacement: source('./libs/zk-client/src/index.ts') },
  { find: /^zk-protocol$/, replacement: source('./libs/zk-protocol/src/index.ts') },
];

/** Each project's: a warning of Node fails the run. */
const setupFiles = source('./test/support/fail-on-warning.mjs');

/** zk-embedded is run as it is built: its server is a thread, to which no alias applies. */
const server = { deps: { external: [/\/libs\/zk-embedded\/dist\//] } };

/** `forks`: npm `zookeeper` crashes the process when a second thread loads it. */
const pool = 'forks';

/** Tests that need a server, which they start before and end after; most of the time they wait for it. */
const integration = {
  setupFiles,
  server,
  pool,
  maxWorkers: 3,
  sequence: { groupOrder: 1 },
  globalSetup: 'test/support/shared-server.setup.ts',
  testTimeout: 30_000,
  hookTimeout: 30_000,
} as const;

/**
 * Each project says its client, for the processes that its tests start as well; a file that is about one
 * of them names it itself. "native" gives way to the environment: `NESTJS_ZK_LOCK_CLIENT=wire npm run matrix`.
 */
const { NESTJS_ZK_LOCK_CLIENT = 'native' } = process.env;
const withNative = { NESTJS_ZK_LOCK_CLIENT };
const withWire = { NESTJS_ZK_LOCK_CLIENT: 'wire' };

/** Short forms of programs that run for hours; they start all they need, and only another one runs beside them. */
const LONG_RUNS = ['test/{endurance,soak}/**/*.e2e-spec.ts'];

/**
 * What servers do to a client, what is timed by them, and who may see what: of `zk-client`, too, on
 * real ones.
 */
const BY_WIRE = [
  'test/faults/{creation-timeout,report-times}.e2e-spec.ts',
  'test/faults/{cut-follower,deposed-leader,frozen-holder,lost-answers,lost-data,server-configurations,server-limits,server-restart,stalled-leader}.e2e-spec.ts',
  'test/locks/sequence-end.e2e-spec.ts',
  'test/security/{lost-answers,outsiders,refused-deletion,secrets}.e2e-spec.ts',
  'test/session/**/*.e2e-spec.ts',
];

export default defineConfig({
  test: {
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          setupFiles,
          server,
          pool,
          maxWorkers: 2,
          include: ['{libs,apps}/*/src/**/*.spec.ts', '{test,bench}/**/*.spec.ts'],
        },
      },
      {
        resolve: { alias },
        test: {
          ...integration,
          name: 'integration',
          include: ['{test,bench}/**/*.e2e-spec.ts'],
          exclude: [
            // No server is asked there, or one that lies: once is enough.
            'test/hostile/{decorators,lying-server,malformed-frames,modules,options}.e2e-spec.ts',
            ...LONG_RUNS,
          ],
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
            'test/{client,conformance,faults,hostile,interop,locks,security,session,telemetry,zk-client}/**/*.e2e-spec.ts',
            // Of Nest, what begins and ends sessions; the rest is the same with each client.
            'test/nest/{decorators,health,hold-times,lock-service,module,only-leader,semaphore,shutdown}.e2e-spec.ts',
          ],
          exclude: [
            // With the same client, and a server that is not ours.
            ...BY_WIRE,
            // An ensemble has a leader, and followers that can be cut from it; and ours has no TLS and no
            // SASL, and session passwords that are random.
            'test/security/{enforced-authentication,foreign-sessions,tls}.e2e-spec.ts',
            // Only the real one has a `jute.maxbuffer`.
            'test/faults/short-frames.e2e-spec.ts',
            // Only real ones lose their majority; it names both clients.
            'test/faults/unreachable-servers.e2e-spec.ts',
            'test/{security,zk-client}/sasl.e2e-spec.ts',
          ],
          provide: { serverKind: 'embedded' },
          env: withWire,
        },
      },
      {
        resolve: { alias },
        test: {
          ...integration,
          name: 'wire',
          include: BY_WIRE,
          provide: { serverKind: 'real' },
          env: withWire,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'long',
          setupFiles,
          server,
          pool,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          env: withNative,
          include: LONG_RUNS,
        },
      },
    ],
  },
});

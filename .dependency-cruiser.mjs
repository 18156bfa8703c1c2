/**
 * The layers of the house, as errors. Imports in libs/zk-lock/src go one way only:
 *
 *     nest -> locks -> session -> client -> zk-client, or npm `zookeeper`
 *     nest, locks -> telemetry
 *     prometheus, opentelemetry -> telemetry
 *     health -> nest, locks, session
 *     testing -> nest, locks, session, client, and zk-embedded
 *
 * Beside it: zk-embedded and zk-client -> zk-protocol, which imports nothing of ours.
 */
const src = '^libs/zk-lock/src';

/** Leaves that every layer may import, and which import no more than other leaves. */
const shared = `${src}/(zk-lock-error|logger|clean-text|copies|own-file|real-time)\\.ts$`;

const layer = (name, allowed) => ({
  name: `layer-${name}`,
  comment: `${name}/ may import only ${[name, ...allowed].join(', ')} and what all share`,
  severity: 'error',
  from: { path: `${src}/${name}/` },
  to: {
    path: `${src}/`,
    pathNot: [`${src}/(${[name, ...allowed].join('|')})/`, shared],
  },
});

/** Within locks/: a room may import only the rooms below it, and the words that all of them speak. */
const room = (name, below) => ({
  name: `locks-${name}`,
  comment: `locks/${name}/ may import only ${[name, ...below].join(', ')} of locks/, and its words`,
  severity: 'error',
  from: { path: `${src}/locks/${name}/` },
  to: {
    path: `${src}/locks/`,
    pathNot: [
      `${src}/locks/(${[name, ...below].join('|')})/`,
      `${src}/locks/(lock|lock-errors|lock-view|key-holes|key-path|given-options)\\.ts$`,
    ],
  },
});

const onlyFrom = (name, allowedFrom, packages, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `${src}/`, pathNot: allowedFrom },
  to: { path: packages },
});

const npm = (name) => `(^|/)node_modules/${name}(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    layer('client', []),
    layer('session', ['client']),
    layer('telemetry', []),
    layer('locks', ['session', 'client', 'telemetry']),
    layer('nest', ['locks', 'session', 'client', 'telemetry']),
    layer('prometheus', ['telemetry']),
    layer('opentelemetry', ['telemetry']),
    layer('health', ['nest', 'locks', 'session']),
    layer('testing', ['nest', 'locks', 'session', 'client']),
    room('queue', []),
    room('holding', ['queue']),
    room('observation', []),
    room('read-write', ['observation', 'inspection', 'holding', 'queue']),
    room('cohort', ['read-write', 'holding', 'inspection', 'queue']),
    room('semaphore', ['observation', 'holding', 'inspection', 'queue']),
    room('multi', ['read-write', 'queue']),
    room('inspection', ['queue']),
    room('election', ['inspection', 'read-write', 'holding', 'queue']),
    {
      name: 'shared-leaves-import-nothing',
      severity: 'error',
      from: { path: shared },
      to: { pathNot: `${src}/(clean-text|own-file)\\.ts$` },
    },
    {
      name: 'nothing-imports-health',
      comment: 'health is an entry point of its own: @nestjs/terminus is optional',
      severity: 'error',
      from: { path: `${src}/`, pathNot: `${src}/health/` },
      to: { path: `${src}/health/` },
    },
    {
      name: 'nothing-imports-testing',
      comment: 'testing is an entry point of its own: zk-embedded is optional',
      severity: 'error',
      from: { path: `${src}/`, pathNot: `${src}/testing/` },
      to: { path: `${src}/testing/` },
    },
    ...['prometheus', 'opentelemetry'].map((name) => ({
      name: `nothing-imports-${name}`,
      comment: `${name} is an entry point of its own: what it reports to is optional`,
      severity: 'error',
      from: { path: `${src}/`, pathNot: `${src}/${name}/` },
      to: { path: `${src}/${name}/` },
    })),
    onlyFrom(
      'zk-embedded-only-in-testing',
      `${src}/testing/`,
      '^libs/zk-embedded/',
      'zk-embedded is an optional peer of the testing entry point alone',
    ),
    {
      name: 'zk-client-only-in-client-wire',
      comment:
        "the adapter `wire`, and what `native` cannot find out itself; its options of TLS are everybody's",
      severity: 'error',
      from: {
        path: `${src}/`,
        pathNot: `${src}/client/(wire/|native/find-reason\\.ts$|client-name\\.ts$)|${src}/locks/lock-manager-options\\.ts$`,
      },
      to: { path: '^libs/zk-client/' },
    },
    {
      name: 'other-libraries-only-by-their-entry-point',
      severity: 'error',
      from: { path: `${src}/` },
      to: {
        path: '^libs/zk-(client|embedded|protocol)/',
        pathNot: '^libs/zk-(client|embedded)/src/index\\.ts$',
      },
    },
    {
      name: 'zk-protocol-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^libs/zk-protocol/' },
      to: { path: '^(libs|apps)/', pathNot: '^libs/zk-protocol/' },
    },
    {
      name: 'zk-embedded-imports-only-zk-protocol-of-ours',
      severity: 'error',
      from: { path: '^libs/zk-embedded/' },
      to: { path: '^(libs|apps)/', pathNot: '^libs/(zk-embedded/|zk-protocol/src/index\\.ts$)' },
    },
    {
      name: 'zk-client-imports-only-zk-protocol-of-ours',
      severity: 'error',
      from: { path: '^libs/zk-client/' },
      to: { path: '^(libs|apps)/', pathNot: '^libs/(zk-client/|zk-protocol/src/index\\.ts$)' },
    },
    {
      name: 'protocol-without-npm-packages',
      comment: 'the protocol, its client and the embedded server are made of Node alone',
      severity: 'error',
      from: {
        path: '^libs/zk-(client|embedded|protocol)/',
        pathNot: '(\\.spec\\.ts$|/src/testing/)',
      },
      to: { path: 'node_modules/' },
    },
    onlyFrom(
      'zookeeper-only-in-client-native',
      `${src}/client/native/`,
      npm('zookeeper'),
      'only the adapter `native` knows it',
    ),
    onlyFrom(
      'nest-only-in-nest-and-entry-points',
      `${src}/(nest|health|testing|prometheus|opentelemetry)/`,
      npm('@nestjs'),
      'the recipes are free of Nest',
    ),
    onlyFrom(
      'terminus-only-in-health',
      `${src}/health/`,
      npm('@nestjs/terminus'),
      '@nestjs/terminus is an optional peer of the health entry point alone',
    ),
    onlyFrom(
      'prom-client-only-in-prometheus',
      `${src}/prometheus/`,
      npm('prom-client'),
      'prom-client is an optional peer of the prometheus entry point alone',
    ),
    onlyFrom(
      'opentelemetry-only-in-opentelemetry',
      `${src}/opentelemetry/`,
      npm('@opentelemetry'),
      '@opentelemetry/api is an optional peer of the opentelemetry entry point alone',
    ),
    onlyFrom(
      'nest-testing-only-in-testing',
      `${src}/testing/`,
      npm('@nestjs/testing'),
      '@nestjs/testing is an optional peer of the testing entry point alone',
    ),
    onlyFrom(
      'rxjs-not-in-client',
      `${src}/(session|locks|nest|health|testing)/`,
      npm('rxjs'),
      'the client port speaks promises and plain listeners',
    ),
    {
      name: 'no-unlisted-package',
      comment: 'everything the library imports stands in its own package.json',
      severity: 'error',
      from: { path: `${src}/`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: 'node_modules/',
        dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'],
      },
    },
    {
      name: 'not-from-test',
      severity: 'error',
      from: { path: '^(libs|apps)/[^/]+/src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'not-to-spec',
      severity: 'error',
      from: {},
      to: { path: '\\.spec\\.ts$' },
    },
    {
      name: 'apps-only-import-entry-points',
      comment: 'an app imports nestjs-zk-lock, its other entry points or zk-embedded, as users do',
      severity: 'error',
      from: { path: '^apps/' },
      to: {
        path: '^libs/',
        pathNot: [
          `${src}/((health|testing|prometheus|opentelemetry)/)?index\\.ts$`,
          '^libs/zk-embedded/src/index\\.ts$',
        ],
      },
    },
    {
      name: 'apps-do-not-import-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'no-library-to-app',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '\\.config\\.ts$', '/bin/', '/schematics/'] },
      to: {},
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(libs|apps)/[^/]+/(build|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
    combinedDependencies: false,
  },
};

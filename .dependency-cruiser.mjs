/**
 * The layers of the house, as errors. Imports go one way only:
 *
 *     nestjs-zk-lock -> zk-locks -> zk-client -> zk-protocol <- zk-embedded <- nestjs-zk-lock/testing
 *     zk-lock-cli -> zk-locks; lock-board-page, which is built into nestjs-zk-lock, -> its types
 *
 * In libs/zk-client/src: session -> port <- connection; native, or npm `zookeeper`, -> connection, port;
 * in libs/nestjs-zk-lock/src: health, testing -> module -> decorators -> key, transport.
 */
const client = '^libs/zk-client/src';
const core = '^libs/zk-locks/src';
const src = '^libs/nestjs-zk-lock/src';
const page = '^libs/lock-board-page/';
const demoPage = '^apps/demo/page/';

/** Leaves that every layer may import, and which import no more than other leaves. */
const leaves = `${core}/(copies|own-file|process-name|shown-text|slices)\\.ts$`;

/** The same in zk-client. */
const clientLeaves = `${client}/(clean-text|count-text|json|limits|listeners|logger|option|own-file|real-time|shell-word|zk-lock-error)\\.ts$`;

/** How texts of strangers and times are shown, in pages as well: the board's page is bundled with it. */
const shown = `(${core}/shown-text|${client}/count-text)\\.ts$`;

/** The words that all rooms of the locks speak. */
const words = `${core}/(lock|nodes|options)/`;

/** A floor of zk-client may import only those below it. */
const floor = (name, below) => ({
  name: `floor-${name}`,
  comment: `${name}/ may import only ${[name, ...below].join(', ')} of zk-client, and its leaves`,
  severity: 'error',
  from: { path: `${client}/${name}/` },
  to: {
    path: `${client}/`,
    pathNot: [`${client}/(${[name, ...below].join('|')})/`, clientLeaves],
  },
});

/** A room of the locks may import only the rooms below it, telemetry, and words. */
const room = (name, below) => ({
  name: `room-${name}`,
  comment: `${name}/ may import only ${[name, ...below].join(', ')} of the locks, and their words`,
  severity: 'error',
  from: { path: `${core}/${name}/` },
  to: {
    path: `${core}/`,
    pathNot: [`${core}/(${[name, ...below].join('|')}|telemetry)/`, words, leaves],
  },
});

/** A part of nestjs-zk-lock; the module, its service and what else stands at the root is one as well. */
const part = (name, allowed) => ({
  name: `part-${name}`,
  comment: `${name}/ may import only ${[name, ...allowed].join(', ')} of nestjs-zk-lock`,
  severity: 'error',
  from: { path: `${src}/${name}/` },
  to: {
    path: `${src}/`,
    pathNot: [
      `${src}/(${[name, ...allowed].join('|')})/`,
      `${src}/${allowed.includes('root') ? '[^/]+' : '(copies|own-file|startup)'}\\.ts$`,
    ],
  },
});

const onlyFrom = (name, allowedFrom, packages, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^libs/(zk-locks|nestjs-zk-lock)/src/', pathNot: allowedFrom },
  to: { path: packages },
});

const npm = (name) => `(^|/)node_modules/${name}(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    floor('port', []),
    floor('connection', ['port']),
    floor('native', ['connection', 'port']),
    floor('options', ['port', 'connection']),
    floor('session', ['options', 'port']),
    floor('certain', ['session', 'port']),
    floor('znodes', ['certain', 'session', 'options', 'connection', 'port']),
    room('telemetry', []),
    room('events', []),
    { ...room('options', []), from: { path: `${core}/options/`, pathNot: '\\.spec\\.ts$' } },
    room('lock', []),
    room('nodes', []),
    room('queue', []),
    room('grant', ['observation', 'queue']),
    room('observation', []),
    room('read-write', ['observation', 'inspection', 'grant', 'queue']),
    room('cohort', ['read-write', 'grant', 'inspection', 'queue']),
    room('semaphore', ['observation', 'grant', 'inspection', 'queue']),
    room('multi', ['read-write', 'grant', 'queue']),
    room('inspection', ['queue']),
    room('election', ['inspection', 'read-write', 'grant', 'queue']),
    room('runs', ['inspection', 'read-write', 'grant', 'queue']),
    room('inspect', ['tree', 'queue']),
    room('tree', ['grant', 'inspection', 'observation', 'queue', 'runs', 'semaphore']),
    {
      name: 'queue-is-below-options',
      severity: 'error',
      from: { path: `${core}/(lock|nodes|queue)/` },
      to: { path: `${core}/options/` },
    },
    {
      name: 'lock-is-below-nodes',
      severity: 'error',
      from: { path: `${core}/lock/` },
      to: { path: `${core}/nodes/` },
    },
    {
      name: 'service-is-below-decorators',
      severity: 'error',
      from: { path: `${src}/[^/]+\\.ts$`, pathNot: `${src}/(index|zk-lock\\.module)\\.ts$` },
      to: { path: `${src}/[^/]+/` },
    },
    {
      name: 'leaves-import-nothing',
      severity: 'error',
      from: { path: leaves },
      to: { pathNot: `${client}/recipes/index\\.ts$`, dependencyTypesNot: ['core'] },
    },
    {
      name: 'leaves-of-zk-client-import-leaves',
      severity: 'error',
      from: { path: clientLeaves },
      to: { pathNot: clientLeaves, dependencyTypesNot: ['core'] },
    },
    part('events', []),
    part('znodes', []),
    part('inspect', []),
    part('key', []),
    part('transport', []),
    part('decorators', ['root', 'feature', 'key', 'transport']),
    part('feature', ['root']),
    part('prometheus', ['telemetry']),
    part('opentelemetry', ['telemetry']),
    part('telemetry', []),
    part('health', ['root']),
    part('board', ['root', 'decorators', 'telemetry', 'transport']),
    part('testing', ['root']),
    {
      name: 'zk-locks-imports-zk-client-by-its-entry-points',
      severity: 'error',
      from: { path: '^libs/zk-locks/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(libs|apps)/',
        pathNot: '^libs/(zk-locks/|zk-client/src/((native|recipes)/)?index\\.ts$)',
      },
    },
    {
      name: 'nestjs-zk-lock-imports-zk-locks-by-its-entry-points',
      severity: 'error',
      from: { path: '^libs/nestjs-zk-lock/' },
      to: {
        path: '^(libs|apps)/',
        pathNot: `^libs/(nestjs-zk-lock/|zk-locks/src/((events|framework|inspect)/)?index\\.ts$|zk-embedded/src/index\\.ts$)`,
      },
    },
    {
      name: 'zk-lock-cli-imports-zk-locks-alone',
      comment: 'the command brings nothing else along, least of all Nest',
      severity: 'error',
      from: { path: '^libs/zk-lock-cli/src/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: ['^(libs|apps)/', 'node_modules/'],
        pathNot: '^libs/(zk-lock-cli/|zk-locks/src/(inspect/)?index\\.ts$)',
      },
    },
    {
      name: 'zk-locks-is-for-any-node-program',
      comment: 'Nest and rxjs are for nestjs-zk-lock',
      severity: 'error',
      from: { path: `${core}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: 'node_modules/' },
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
    ...['prometheus', 'opentelemetry', 'board'].map((name) => ({
      name: `nothing-imports-${name}`,
      comment: `${name} is an entry point of its own, for those who use it`,
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
        pathNot: '(\\.spec\\.ts$|/src/(native|testing)/)',
      },
      to: { path: 'node_modules/' },
    },
    {
      name: 'native-knows-npm-zookeeper-alone',
      severity: 'error',
      from: { path: `${client}/native/`, pathNot: '\\.spec\\.ts$' },
      to: { path: 'node_modules/', pathNot: npm('zookeeper') },
    },
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
    {
      name: 'no-unlisted-package',
      comment: 'everything the library imports stands in its own package.json',
      severity: 'error',
      from: {
        path: '^libs/(zk-locks|nestjs-zk-lock)/src/',
        pathNot: '\\.spec\\.ts$',
      },
      to: {
        path: 'node_modules/',
        dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'],
      },
    },
    {
      name: 'board-page-is-for-browsers',
      comment:
        'built into nestjs-zk-lock with all that it needs; it shares the types of what is said with its server, and how texts of strangers and times are shown',
      severity: 'error',
      from: { path: page, pathNot: '\\.spec\\.ts$' },
      to: { pathNot: [page, `${src}/board/board-api\\.ts$`, shown, npm('(preact|htm)')] },
    },
    {
      name: 'pages-are-not-for-node',
      severity: 'error',
      from: { pathNot: [page, demoPage] },
      to: { path: [page, demoPage, npm('(preact|htm)')] },
    },
    {
      name: 'demo-page-is-for-browsers',
      comment: 'it shares the types of what it is told with its server',
      severity: 'error',
      from: { path: demoPage },
      to: {
        pathNot: [demoPage, '^apps/demo/src/stage/stage-api\\.ts$', npm('(preact|htm)')],
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
          `${src}/((events|znodes|inspect|health|board|testing|prometheus|opentelemetry)/)?index\\.ts$`,
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

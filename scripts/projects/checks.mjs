/** The checks of a project: its tests, its application, and a program with its bundles. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { BUNDLERS } from '../packages/bundlers.mjs';
import { writeJson } from '../packages/consumer.mjs';
import { run } from '../packages/libraries.mjs';
import { checkRunBare } from '../packages/run-consumer.mjs';
import { GENERATED_TEST, NEST } from './project.mjs';

/** The runners' own limit of five seconds is too short for a busy machine. */
const PATIENCE = '--testTimeout=30000';
const TEST_RUNNERS = {
  11: ['node_modules/jest/bin/jest.js', PATIENCE],
  12: ['node_modules/vitest/vitest.mjs', 'run', PATIENCE],
};

/** The same as the project's `npm run test:e2e`. */
const E2E_RUNNERS = {
  11: ['node_modules/jest/bin/jest.js', '--config=test/jest-e2e.json'],
  12: ['node_modules/vitest/vitest.mjs', 'run', '--config=vitest.config.e2e.ts'],
};

/** No server listens there. */
const NOWHERE = '127.0.0.1:1';

const BUNDLES = Object.keys(BUNDLERS).flatMap((bundler) =>
  ['cjs', 'mjs'].map((extension) => ({ bundler, name: `${bundler}.${extension}` })),
);

/** The program as `nest build` compiles it, and bundles of it. */
export async function buildProject(project) {
  runIn(project, process.execPath, [NEST, 'build']);
  compileModules(project);
  const require = createRequire(join(project, 'package.json'));
  for (const { bundler, name } of BUNDLES) {
    const outfile = join(project, 'bundles', name);
    await BUNDLERS[bundler](require(bundler), join(project, 'modules/bare.js'), outfile);
  }
}

/** Bundlers can split ES modules, but can only wrap what is compiled to CommonJS. */
function compileModules(project) {
  const tsc = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'];
  const options = ['--module', 'esnext', '--moduleResolution', 'bundler', '--incremental', 'false'];
  runIn(project, process.execPath, [...tsc, ...options, '--outDir', 'modules']);
  writeJson(join(project, 'modules/package.json'), { type: 'module' });
}

/** The checks by name: functions of a Node, which throw if they fail. */
export function checksOf(nest, project, server) {
  const runs =
    (...program) =>
    (node) =>
      checkRunBare(project, program, server.connectString, node);
  return {
    tests: (node) => runIn(project, node, TEST_RUNNERS[nest]),
    'e2e test': (node) => runIn(project, node, [...E2E_RUNNERS[nest], PATIENCE, 'app.e2e-spec']),
    'e2e without ZooKeeper': (node) => checkSaysWhy(project, node, E2E_RUNNERS[nest]),
    application: (node) => checkApplication(project, node, server),
    program: runs('dist/bare.js'),
    ...(nest === '11' && { 'ts-node': runs('-r', 'ts-node/register', 'src/bare.ts') }),
    ...Object.fromEntries(BUNDLES.map(({ name }) => [name, runs(`bundles/${name}`)])),
  };
}

/** The test as `nest new` makes it fails by a hook that times out, but says what is missing. */
function checkSaysWhy(project, node, runner) {
  assert.throws(() => runIn(project, node, [...runner, GENERATED_TEST]), {
    message: /No connection to ZooKeeper at 127\.0\.0\.1:1 within 2 s: connect ECONNREFUSED /,
  });
}

/** Checks what `nest add` has written: the application connects to the servers, and SIGTERM ends its session. */
async function checkApplication(project, node, server) {
  const { ZK_CONNECT: _, ...others } = process.env;
  const application = spawn(node, ['dist/main.js'], {
    cwd: project,
    env: { ...others, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(application, 'exit');
  const output = [];
  for await (const line of createInterface({ input: application.stdout })) {
    output.push(line);
    if (line.includes('successfully started')) break;
  }
  const { length } = await server.sessions();
  application.kill('SIGTERM');
  await ended;
  assert.equal(length, 1, `The application has no session:\n${output.join('\n')}`);
  assert.deepEqual(await server.sessions(), []);
}

/** Programs that a project starts by name, such as the workers of its test runner, also run on this Node. */
function runIn(project, node, args) {
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, ZK_CONNECT: NOWHERE };
  return run(node, args, { cwd: project, shell: false, env });
}

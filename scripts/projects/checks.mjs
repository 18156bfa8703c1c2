/** What is tried in a project: its tests, a program and bundles of that. */
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { BUNDLERS } from '../packages/bundlers.mjs';
import { writeJson } from '../packages/consumer.mjs';
import { run } from '../packages/libraries.mjs';
import { checkRunBare } from '../packages/run-consumer.mjs';

/** Their own limit of five seconds is little on a machine that is busy. */
const PATIENCE = '--testTimeout=30000';
const TEST_RUNNERS = {
  11: ['node_modules/jest/bin/jest.js', PATIENCE],
  12: ['node_modules/vitest/vitest.mjs', 'run', PATIENCE],
};

const BUNDLES = Object.keys(BUNDLERS).flatMap((bundler) =>
  ['cjs', 'mjs'].map((extension) => ({ bundler, name: `${bundler}.${extension}` })),
);

/** The program as `nest build` compiles it, and bundles of it. */
export async function buildProject(project) {
  runIn(project, process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build']);
  compileModules(project);
  const require = createRequire(join(project, 'package.json'));
  for (const { bundler, name } of BUNDLES) {
    const outfile = join(project, 'bundles', name);
    await BUNDLERS[bundler](require(bundler), join(project, 'modules/bare.js'), outfile);
  }
}

/** Bundlers take ES modules apart; what is compiled to CommonJS they can only wrap. */
function compileModules(project) {
  const tsc = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'];
  const options = ['--module', 'esnext', '--moduleResolution', 'bundler', '--incremental', 'false'];
  runIn(project, process.execPath, [...tsc, ...options, '--outDir', 'modules']);
  writeJson(join(project, 'modules/package.json'), { type: 'module' });
}

/** By its name, each check is a function of the Node that fails by throwing. */
export function checksOf(nest, project, { connectString }) {
  const runs =
    (...program) =>
    (node) =>
      checkRunBare(project, program, connectString, node);
  return {
    tests: (node) => runIn(project, node, TEST_RUNNERS[nest]),
    program: runs('dist/bare.js'),
    ...(nest === '11' && { 'ts-node': runs('-r', 'ts-node/register', 'src/bare.ts') }),
    ...Object.fromEntries(BUNDLES.map(({ name }) => [name, runs(`bundles/${name}`)])),
  };
}

/** What a project runs by name, such as the workers of its test runner, runs on this Node, too. */
function runIn(project, node, args) {
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  return run(node, args, { cwd: project, shell: false, env: { ...process.env, PATH } });
}

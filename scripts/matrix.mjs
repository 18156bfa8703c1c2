/**
 * Runs the tests about Nest with each Nest and each Node that the library supports, and prints a table.
 *
 *   node scripts/matrix.mjs [--nest 11] [--node 22] [file …]
 *
 * Nest 12 is the repository's own, Nest 11 the one in test/compat/nest11. Each Node that is not the
 * running one is `node22` on the PATH, or comes from fnm, nvm, or the package registry. npm
 * `zookeeper`, by which the tests also look at znodes, is compiled once for each Node: so this needs a
 * compiler. What is downloaded and compiled stays in node_modules/.cache/matrix until `npm ci`. If a
 * cell could not run, one line says why, and the exit code is 1.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { countTests } from './count-tests.mjs';
import { root } from './matrix/commands.mjs';
import { nativeClientFor } from './matrix/native-client.mjs';
import { findNode, versionOf } from './matrix/node.mjs';

const NESTS = ['11', '12'];
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const NODES = engines.node.split(' || ').map((range) => /\d+/.exec(range)[0]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nest: { type: 'string', multiple: true, default: NESTS },
    node: { type: 'string', multiple: true, default: NODES },
  },
});
const cache = join(root, 'node_modules/.cache/matrix');
const files =
  positionals.length > 0 ? positionals : ['test/nest/', 'test/transports/', 'test/board/'];

function runCell(nest, node, native) {
  const version = versionOf(node);
  const report = join(root, 'reports/tests.json');
  const kept = join(root, `reports/matrix-nest${nest}-node${version}.json`);
  for (const old of [report, kept]) rmSync(old, { force: true });
  console.log(`matrix: Nest ${nestVersion(nest)} on Node ${version}`);
  const startedAt = performance.now();
  const { status } = spawnSync(
    node,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project=integration', ...files],
    {
      cwd: root,
      stdio: 'inherit',
      // Programs that tests start by name, such as npm, also run on this Node.
      env: { ...process.env, ...native, PATH: withFirst(dirname(node)), NEST: nest },
    },
  );
  if (existsSync(report)) renameSync(report, kept);
  return {
    Nest: nestVersion(nest),
    Node: version,
    ...countTests(kept),
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    result: status === 0 ? 'passed' : `FAILED: ${relative(root, kept)}`,
  };
}

const withFirst = (folder) => [folder, process.env.PATH].join(delimiter);

function nestVersion(nest) {
  const home = nest === '11' ? 'test/compat/nest11' : '.';
  const manifest = join(root, home, 'node_modules/@nestjs/core/package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

function runNode(major) {
  let node, native;
  try {
    node = findNode(major, cache);
    native = nativeClientFor(node, cache);
  } catch (error) {
    console.error(`matrix: ${error.message}`);
    return values.nest.map((Nest) => ({ Nest, Node: major, result: 'could not run' }));
  }
  return values.nest.map((nest) => runCell(nest, node, native));
}

const rows = values.node.flatMap(runNode);
console.table(rows);
if (rows.some(({ result }) => result !== 'passed')) process.exitCode = 1;

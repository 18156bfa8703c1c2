/**
 * Runs the tests about Nest with each Nest and each Node that the library supports, and prints a table.
 *
 *   node scripts/matrix.mjs [--nest 11] [--node 22] [file …]
 *
 * Nest 12 is the repository's own, Nest 11 the one in test/compat/nest11. Each Node that is not the
 * running one is `node22` on the PATH, or comes from fnm, nvm or the npm package `node`. The tests look
 * at znodes through npm `zookeeper`, which is compiled for the Node that ran `npm ci`: for another one,
 * run `npm ci` with it first. One line says which cell could not run and why, and the exit code is 1.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

const NESTS = ['11', '12'];
const NODES = ['20', '22', '24'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nest: { type: 'string', multiple: true, default: NESTS },
    node: { type: 'string', multiple: true, default: NODES },
  },
});
const files = ['test/nest/', 'test/transports/'];

/** The packed library in an application of its own, compiled with Nest 11. */
const packed = { 11: ['test/compat/nest11'] };

const filesFor = (nest) =>
  positionals.length > 0 ? positionals : [...files, ...(packed[nest] ?? [])];

/** The standard output of a command, if it succeeds. */
function output(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const printPath = ['-p', 'process.execPath'];

/** Where a major version of Node may be, the cheapest place first. */
const places = [
  (major) => (process.versions.node.startsWith(`${major}.`) ? process.execPath : undefined),
  (major) => output(`node${major}`, printPath),
  (major) => output('fnm', ['exec', `--using=${major}`, 'node', ...printPath]),
  (major) =>
    output('bash', [
      '-c',
      `. "${process.env.NVM_DIR ?? join(homedir(), '.nvm')}/nvm.sh" && nvm exec --silent ${major} node -p process.execPath`,
    ]),
  (major) => output('npx', ['--yes', '--package', `node@${major}`, 'node', ...printPath]),
];

function findNode(major) {
  for (const place of places) {
    const path = place(major);
    if (path && output(path, ['-p', 'process.versions.node'])?.startsWith(`${major}.`)) return path;
  }
  return undefined;
}

/** Why the tests cannot run on a Node; undefined when they can. */
function problemOf(major, node) {
  if (node === undefined) {
    return `Node ${major} is missing: put node${major} on the PATH, or install it by fnm or nvm.`;
  }
  if (output(node, ['-e', "require('zookeeper')"]) === undefined) {
    return `npm zookeeper does not load on Node ${major} (${node}): run "npm ci" with that Node.`;
  }
  return undefined;
}

function runCell(nest, node) {
  const version = output(node, ['-p', 'process.versions.node']);
  const report = join(root, 'reports/tests.json');
  const kept = join(root, `reports/matrix-nest${nest}-node${version}.json`);
  for (const old of [report, kept]) rmSync(old, { force: true });
  console.log(`matrix: Nest ${nest} on Node ${version}`);
  const startedAt = performance.now();
  const { status } = spawnSync(
    node,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project=integration',
      ...filesFor(nest),
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, NEST: nest },
    },
  );
  if (existsSync(report)) renameSync(report, kept);
  return {
    Nest: nest,
    Node: version,
    ...countTests(kept),
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    result: status === 0 ? 'passed' : `FAILED: ${relative(root, kept)}`,
  };
}

function countTests(report) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

const rows = [];
for (const major of values.node) {
  const node = findNode(major);
  const problem = problemOf(major, node);
  if (problem !== undefined) {
    console.error(problem);
    for (const Nest of values.nest) rows.push({ Nest, Node: major, result: 'could not run' });
    continue;
  }
  for (const nest of values.nest) rows.push(runCell(nest, node));
}
console.table(rows);
if (rows.some(({ result }) => result !== 'passed')) process.exitCode = 1;

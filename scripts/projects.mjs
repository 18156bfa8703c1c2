/**
 * Makes a project by `nest new` with Nest 11 (CommonJS, Jest) and with Nest 12 (ES modules, Vitest),
 * installs the packed libraries there, and runs on each Node that is supported:
 *
 * - its application, to which `nest add nestjs-zk-lock` has added the module and the shutdown hooks;
 * - its tests, with those of docs/testing.md beside the generated one, its configuration untouched;
 * - its end-to-end test, which `nest add` has changed so that it needs no ZooKeeper, and the original one,
 *   which has to say what is missing;
 * - a program, as `nest build` compiles it, and with Nest 11 by ts-node;
 * - bundles of it by esbuild and by webpack, as CommonJS and as an ES module.
 *
 *   node scripts/projects.mjs [--nest 11] [--node 22]
 *
 * The project's dependencies come from the package registry, in their latest versions. Each Node is found
 * in the same way as by `npm run matrix`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { root } from './matrix/commands.mjs';
import { findNode, versionOf } from './matrix/node.mjs';
import { packInto } from './packages/consumer.mjs';
import { buildProject, checksOf } from './projects/checks.mjs';
import { createProject } from './projects/project.mjs';

const { values } = parseArgs({
  options: {
    nest: { type: 'string', multiple: true, default: ['11', '12'] },
    node: { type: 'string', multiple: true, default: ['20', '22', '24'] },
  },
});

async function checkNest(nest, tarballs) {
  const project = createProject(nest, parent, tarballs, server.connectString);
  await buildProject(project);
  const rows = [];
  for (const node of nodes) {
    const row = { Node: versionOf(node) };
    for (const [name, check] of Object.entries(checksOf(nest, project, server))) {
      row[name] = await attempt(`Nest ${nest}, Node ${row.Node}, ${name}`, () => check(node));
    }
    rows.push(row);
  }
  console.log(`nest new, Nest ${nest}`);
  console.table(rows);
}

async function attempt(name, check) {
  try {
    await check();
    return 'passed';
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
    return 'FAILED';
  }
}

const nodes = values.node.map((major) => findNode(major, join(root, 'node_modules/.cache/matrix')));
const parent = mkdtempSync(join(tmpdir(), 'projects-'));
const server = await EmbeddedZooKeeper.start();
try {
  const tarballs = packInto(parent);
  for (const nest of values.nest) await checkNest(nest, tarballs);
} finally {
  await server.stop();
  rmSync(parent, { recursive: true });
}

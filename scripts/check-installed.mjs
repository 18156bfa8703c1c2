/**
 * Installs the libraries from their tarballs into an application elsewhere, with Nest 11 and with
 * Nest 12, without npm `zookeeper`, and uses every entry point there:
 *
 * - the types, with each TypeScript that applications have, resolved as Node does and as bundlers do;
 * - the code, as an ES module, as CommonJS, as both in one process, and in bundles by esbuild, against
 *   an embedded server;
 * - stack traces, which name readable lines of what is installed;
 * - and all of this again without the optional peers, where they are not needed.
 *
 * The commands are installed separately, without Nest.
 *
 *   node scripts/check-installed.mjs [11] [12]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedZooKeeper } from 'zk-embedded';
import * as esbuild from 'esbuild';
import { BUNDLERS } from './packages/bundlers.mjs';
import { checkCommands } from './packages/commands.mjs';
import { versionOf } from './packages/consumer-lock.mjs';
import { installConsumer, OPTIONAL_PEERS, packInto } from './packages/consumer.mjs';
import { checkMixed, checkRun, checkRunBare } from './packages/run-consumer.mjs';
import { checkTypes, compile } from './packages/type-check.mjs';

/**
 * Each compiler with each resolution, and with each Nest; TypeScript 7 is fast enough for all. A
 * resolution without `exports` (`node10`, the default of CommonJS projects until TypeScript 6) gets Nest 11.
 */
const TYPE_CHECKS = {
  11: [
    ['5.9', 'node10'],
    ['5.9', 'nodenext'],
    ['6', 'bundler'],
    ['7', 'nodenext'],
    ['7', 'bundler'],
  ],
  12: [
    ['5.9', 'bundler'],
    ['6', 'nodenext'],
    ['7', 'nodenext'],
    ['7', 'bundler'],
  ],
};

async function checkWithNest(nest) {
  console.log(`Nest ${versionOf('@nestjs/core', nest)}`);
  const directory = await step('installs', () => installConsumer(parent, tarballs, nest));
  if (directory === undefined) return;
  await checkWithPeers(directory, nest);
  await checkBundles(directory);
  for (const peer of OPTIONAL_PEERS) {
    rmSync(join(directory, 'node_modules', peer), { recursive: true });
  }
  await checkWithoutPeers(directory);
}

async function checkWithPeers(directory, nest) {
  for (const [compiler, resolution] of TYPE_CHECKS[nest]) {
    await step(`types by TypeScript ${compiler}, ${resolution}`, () =>
      checkTypes(directory, compiler, resolution, ['app.ts', 'bare.ts']),
    );
  }
  await step('compiles', () => compile(directory));
  for (const format of ['esm', 'cjs'])
    await step(`runs: ${format}`, () => checkRun(directory, format));
  await step('runs: both formats in one process', () => checkMixed(directory));
}

/** As an ES module and as CommonJS, with the library in the bundle. */
async function checkBundles(directory) {
  for (const name of ['bundle.mjs', 'bundle.cjs']) {
    const bundle = join(directory, name);
    await step(`bundles by esbuild: ${name}`, async () => {
      await BUNDLERS.esbuild(esbuild, join(directory, 'esm/bare.js'), bundle);
      checkRunBare(directory, bundle, server.connectString);
    });
  }
}

async function checkWithoutPeers(directory) {
  await step('types without optional peers', () =>
    checkTypes(directory, '7', 'nodenext', ['bare.ts']),
  );
  for (const format of ['esm', 'cjs']) {
    await step(`runs without optional peers: ${format}`, () =>
      checkRunBare(directory, `${format}/bare.js`, server.connectString),
    );
  }
}

async function step(name, check) {
  const startedAt = performance.now();
  try {
    const result = await check();
    console.log(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    return result;
  } catch (error) {
    console.error(`${name}: FAILED\n${error.message}`);
    process.exitCode = 1;
    return undefined;
  }
}

const nests = process.argv.length > 2 ? process.argv.slice(2) : ['11', '12'];
const parent = mkdtempSync(join(tmpdir(), 'consumers-'));
const server = await EmbeddedZooKeeper.start();
const tarballs = await step('packs', () => packInto(parent));
if (tarballs !== undefined) {
  const { connectString } = server;
  await step('commands without Nest', () => checkCommands(parent, tarballs, connectString));
  for (const nest of nests) await checkWithNest(nest);
}
await server.stop();
rmSync(parent, { recursive: true });

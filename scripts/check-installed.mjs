/**
 * Installs the libraries from their tarballs into an application elsewhere, with Nest 11 and with
 * Nest 12, without npm `zookeeper`, and uses every entry point there:
 *
 * - the types, with each TypeScript that applications have, resolved as Node does and as bundlers do;
 * - the code, as an ES module and as CommonJS, against an embedded server;
 * - stack traces, which name readable lines of what is installed;
 * - and all of it once more without the optional peers, as far as it does without.
 *
 *   node scripts/check-installed.mjs [11] [12]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { versionOf } from './packages/consumer-lock.mjs';
import { installConsumer, OPTIONAL_PEERS, packInto } from './packages/consumer.mjs';
import { checkRun, checkRunBare } from './packages/run-consumer.mjs';
import { checkTypes, compile } from './packages/type-check.mjs';

/**
 * Each compiler with each resolution, and with each Nest; TypeScript 7 is fast enough for all. What
 * knows no `exports` (`node10`, the default of projects in CommonJS until TypeScript 6) has Nest 11.
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

function checkWithNest(nest) {
  console.log(`Nest ${versionOf('@nestjs/core', nest)}`);
  const directory = step('installs', () => installConsumer(parent, tarballs, nest));
  if (directory === undefined) return;
  checkWithPeers(directory, nest);
  for (const peer of OPTIONAL_PEERS) {
    rmSync(join(directory, 'node_modules', peer), { recursive: true });
  }
  checkWithoutPeers(directory);
}

function checkWithPeers(directory, nest) {
  for (const [compiler, resolution] of TYPE_CHECKS[nest]) {
    step(`types by TypeScript ${compiler}, ${resolution}`, () =>
      checkTypes(directory, compiler, resolution, ['app.ts', 'bare.ts']),
    );
  }
  step('compiles', () => compile(directory));
  for (const format of ['esm', 'cjs']) step(`runs: ${format}`, () => checkRun(directory, format));
}

function checkWithoutPeers(directory) {
  step('types without optional peers', () => checkTypes(directory, '7', 'nodenext', ['bare.ts']));
  for (const format of ['esm', 'cjs']) {
    step(`runs without optional peers: ${format}`, () =>
      checkRunBare(directory, format, server.connectString),
    );
  }
}

function step(name, check) {
  const startedAt = performance.now();
  try {
    const result = check();
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
const tarballs = step('packs', () => packInto(parent));
if (tarballs !== undefined) for (const nest of nests) checkWithNest(nest);
await server.stop();
rmSync(parent, { recursive: true });

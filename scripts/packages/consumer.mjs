/** An application elsewhere, with the packed libraries in it. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consumerLock, versionOf } from './consumer-lock.mjs';
import { packLibraries, root, run } from './libraries.mjs';

const NEEDED = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@types/node',
  'reflect-metadata',
  'rxjs',
];

const OPTIONAL = ['@nestjs/terminus', '@nestjs/testing', '@opentelemetry/api', 'prom-client'];

/** Peers that an application does not need if it uses only the main entry point. */
export const OPTIONAL_PEERS = [...OPTIONAL, 'zk-embedded'];

/** The `type` of each format's package.json. */
const FORMATS = { esm: 'module', cjs: 'commonjs' };

/** The tarballs of all libraries, `{ name: path }`, in a folder of their own. */
export function packInto(directory) {
  const reports = packLibraries('--pack-destination', directory);
  return Object.fromEntries(
    reports.map(({ name, filename }) => [name, `file:${join(directory, filename)}`]),
  );
}

/** Installs the dependencies of an application with this Nest, and the tarballs, in a new folder. */
export function installConsumer(parent, tarballs, nest) {
  const directory = join(parent, `nest${nest}`);
  mkdirSync(directory);
  const versions = [...NEEDED, ...OPTIONAL].map((name) => [name, versionOf(name, nest)]);
  const manifest = { name: 'consumer', private: true, dependencies: Object.fromEntries(versions) };
  writeJson(join(directory, 'package-lock.json'), consumerLock(manifest, nest));
  manifest.dependencies = { ...manifest.dependencies, ...tarballs };
  writeJson(join(directory, 'package.json'), manifest);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', '--prefer-offline', '--omit=optional', ...quiet], { cwd: directory });
  for (const [format, type] of Object.entries(FORMATS)) addSources(join(directory, format), type);
  return directory;
}

function addSources(directory, type) {
  mkdirSync(directory);
  writeJson(join(directory, 'package.json'), { type });
  cpSync(join(root, 'test/packages/consumer'), directory, { recursive: true });
}

export function writeJson(path, value) {
  writeFileSync(path, JSON.stringify(value, null, 2));
}

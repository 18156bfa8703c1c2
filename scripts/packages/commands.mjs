/** The commands, installed from their tarballs without Nest. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './libraries.mjs';
import { writeJson } from './consumer.mjs';

/** The commands and their dependencies. Nothing else is installed with them. */
const PACKAGES = ['zk-client', 'zk-embedded', 'zk-lock-cli', 'zk-locks', 'zk-protocol'];

export function checkCommands(parent, tarballs, connectString) {
  const cwd = join(parent, 'commands');
  mkdirSync(cwd);
  const dependencies = Object.fromEntries(PACKAGES.map((name) => [name, tarballs[name]]));
  writeJson(join(cwd, 'package.json'), { private: true, dependencies });
  run('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd });
  const installed = readdirSync(join(cwd, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed.sort(), PACKAGES);
  const options = { cwd, env: { ...process.env, ZK_CONNECT: connectString } };
  const npx = (...words) => run('npx', ['--no-install', ...words], options);
  assert.match(npx('zk-lock', 'run', 'a', '--', 'printenv', 'ZK_LOCK_KEY'), /^a\n$/);
  assert.match(npx('zk-embedded', '--help'), /--port/);
}

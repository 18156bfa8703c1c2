/**
 * Checks each library as it would be published: its manifest, what its types resolve to, its README,
 * and how large it is.
 */
import { spawnSync } from 'node:child_process';
import { entryPointsOf, folderOf, libraries, root } from './packages/libraries.mjs';
import { checkReadmes } from './packages/readmes.mjs';
import { checkSizes } from './packages/sizes.mjs';

function check(...args) {
  const { status } = spawnSync('npx', ['--no-install', ...args], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exitCode = 1;
}

for (const name of libraries) {
  check('publint', '--strict', `libs/${name}`);
  // A command has no types.
  if (entryPointsOf(folderOf(name)).length > 0) check('attw', '--pack', `libs/${name}`);
}
if (!checkReadmes()) process.exitCode = 1;
if (!checkSizes()) process.exitCode = 1;

/** Checks each library as it would be published: its manifest, and what its types resolve to. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function check(...args) {
  const { status } = spawnSync('npx', ['--no-install', ...args], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exitCode = 1;
}

for (const name of readdirSync(new URL('../libs', import.meta.url))) {
  check('publint', '--strict', `libs/${name}`);
  check('attw', '--pack', `libs/${name}`, '--profile', 'esm-only');
}

/**
 * Builds and runs a program of this repository. It needs only what `npm ci` installs.
 *
 *   node scripts/run.mjs apps/demo/dist/main.js
 *
 * A signal to `npm start` ends npm and its shell, but is not passed on. So a program that has lost its
 * parent is asked to end.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));

function step(...args) {
  const { status, signal } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(signal ? 130 : (status ?? 1));
}

step('scripts/build.mjs');
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, 200).unref();
await import(pathToFileURL(resolve(root, process.argv[2])).href);

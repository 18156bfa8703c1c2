/**
 * Runs the checks that are not tests, two at a time, and prints the output of each, one after the other.
 * All of them run, even after a failure.
 *
 *   node scripts/check.mjs
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The slowest first, so that no slow check runs alone at the end. */
const checks = [
  'check:lint',
  'check:installed',
  'check:types',
  'check:format',
  'check:package',
  'check:layers',
  'check:api',
  'check:nest-cli',
  'check:words',
];

async function check(name) {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
  const [code] = await once(child, 'close');
  process.stdout.write(Buffer.concat(output));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${name} ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s`);
  if (code !== 0) process.exitCode = 1;
}

async function checkOneByOne() {
  for (let next = checks.shift(); next; next = checks.shift()) await check(next);
}

await Promise.all([checkOneByOne(), checkOneByOne()]);

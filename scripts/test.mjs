/**
 * The second step of `npm test`, after the build: runs the unit tests, and every test on a real ZooKeeper.
 * If this machine lacks what these need, and it cannot be installed, the tests of the project `embedded` run
 * instead, on zk-embedded. The last lines then say what did not run, and how to install what is missing. If
 * `CI` is set, that is an error.
 *
 *   node scripts/test.mjs [arguments of vitest]
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensure, say } from './ensure/ensure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What `integration` needs. Without `interop` or `native`, `embedded` omits the tests about them. */
const NEEDED = ['native', 'server', 'interop', 'tls'];

const missing = ensure(NEEDED);
const advice = [...missing.values()];
if (missing.size > 0 && process.env.CI) {
  say(advice.join(' '));
  process.exit(1);
}
const projects = ['unit', missing.size === 0 ? 'integration' : 'embedded'];
const options = projects.flatMap((name) => ['--project', name]);
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...options, ...process.argv.slice(2)],
  {
    cwd: root,
    env: { ...process.env, TESTS_WITHOUT: [...missing.keys()].join() },
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
if (missing.size > 0) {
  console.log(
    'The project integration was not started; embedded ran in its place, on zk-embedded.',
  );
  const left = ['interop', 'native'].filter((name) => missing.has(name));
  if (left.length > 0) console.log(`Left out of embedded: tests that need ${left.join(', ')}.`);
  for (const line of advice) console.log(`- ${line}`);
}

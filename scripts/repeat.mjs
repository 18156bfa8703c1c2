/**
 * Runs test files repeatedly next to busy processes, and stops at the first failure: to find out why a test
 * is flaky, and to show that it no longer is.
 *
 *   node scripts/repeat.mjs [--times 20] [--busy 8] [--project NAME] [--name PATTERN] FILE…
 *
 * A FILE is an argument of `vitest run`, and runs in each project that includes it. PATTERN is a regular
 * expression that selects tests by name. The output of a round that failed is printed, and the exit
 * code is 1. Run `npm run build` first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

/** Ends with its parent, even if that is killed, because its standard input then closes. */
const BUSY = `
  process.stdin.on('end', () => process.exit()).resume();
  const work = () => {
    for (const until = Date.now() + 100; Date.now() < until; );
    setImmediate(work);
  };
  work();
`;

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    busy: { type: 'string', default: '8' },
    project: { type: 'string', multiple: true, default: [] },
    name: { type: 'string', default: '' },
  },
});
const times = wholeNumber('--times', 1);
const busy = wholeNumber('--busy', 0);
if (files.length === 0) fail('name at least one file, as `vitest run` takes it');

function wholeNumber(option, least) {
  const value = Number(values[option.slice(2)]);
  if (Number.isSafeInteger(value) && value >= least) return value;
  return fail(
    `${option} must be a whole number of at least ${least}; got ${values[option.slice(2)]}`,
  );
}

function fail(message) {
  console.error(`repeat: ${message}`);
  process.exit(2);
}

/** Runs all files once. Returns the output if the run failed. */
async function round() {
  const projects = values.project.flatMap((project) => ['--project', project]);
  const names = values.name === '' ? [] : ['--testNamePattern', values.name];
  const child = spawn(process.execPath, [vitest, 'run', ...projects, ...names, ...files], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
  const [code] = await once(child, 'close');
  return code === 0 ? undefined : Buffer.concat(output);
}

const load = Array.from({ length: busy }, () =>
  spawn(process.execPath, ['--eval', BUSY], { stdio: ['pipe', 'ignore', 'inherit'] }),
);
try {
  for (let number = 1; number <= times; number++) {
    const startedAt = performance.now();
    const failure = await round();
    if (failure) process.stdout.write(failure);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`${number} of ${times} ${failure ? 'FAILED' : 'passed'} after ${seconds} s`);
    if (failure) {
      process.exitCode = 1;
      break;
    }
  }
} finally {
  for (const child of load) child.kill();
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';

const run = promisify(execFile);

/** A spec that is quick and needs no server. */
const SPEC = 'libs/zk-protocol/src/golden/golden.spec.ts';

/** Runs one of our scripts on a machine that has neither Java nor a package manager. */
async function onBareMachine(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const emptyFolder = makeTempDir('bare');
  onTestFinished(() => removeTempDir(emptyFolder));
  const path = fileURLToPath(new URL(`../../scripts/${script}.mjs`, import.meta.url));
  const { CI: _, VITEST: __, ...others } = process.env;
  const result = run(process.execPath, [path, ...args], {
    env: { ...others, PATH: emptyFolder, ...env },
  });
  const { stdout, stderr, code } = await result.then(
    (output) => ({ ...output, code: 0 }),
    (error: unknown) => error as { stdout: string; stderr: string; code: number },
  );
  return { code, stderr, lines: stdout.trim().split('\n') };
}

it('npm test runs what needs no Java, passes, and says in its last lines what was not started', async () => {
  const { code, lines, stderr } = await onBareMachine('test', [SPEC, '--reporter=default']);
  expect(code, stderr).toBe(0);
  expect(lines.some((line) => line.includes('golden.spec.ts'))).toBe(true);
  const [first, second, ...advice] = lines.slice(
    lines.findIndex((line) => line.startsWith('The ')),
  );
  expect(first).toBe(
    'The project integration was not started; embedded ran in its place, on zk-embedded.',
  );
  expect(second).toMatch(/^Left out of embedded: tests that need interop/);
  expect(advice).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^- Tests run a real Apache ZooKeeper: install .*default-jre-headless/),
      expect.stringMatching(/^- Tests run Debian's kazoo and Curator .*default-jdk-headless/),
      '- Tests connect by TLS through stunnel: apt-get install stunnel4.',
    ]),
  );
});

it('npm test fails under CI, before any test, and says what is missing', async () => {
  const { code, lines, stderr } = await onBareMachine('test', [SPEC], { CI: 'true' });
  expect(code).toBe(1);
  expect(lines).toEqual(['']);
  expect(stderr).toMatch(/^ensure: Tests run a real Apache ZooKeeper: .* stunnel4\.\n$/);
});

it('ensure fails if something is missing that it cannot install', async () => {
  const { code, stderr } = await onBareMachine('ensure', ['--tls']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'ensure: Tests connect by TLS through stunnel: apt-get install stunnel4.\n',
  });
});

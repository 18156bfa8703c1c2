import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { codeIn } from '../support/documentation.js';
import { ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const [example = ''] = codeIn(new URL('../../libs/zk-locks/README.md', import.meta.url));

/** Runs the README's example as a separate program. */
async function runExample(root: string, timeoutMs = '5_000'): Promise<string> {
  const options = `{ servers: '${sharedServer().connectString}', root: '${root}' }`;
  const program = example
    .replace("{ servers: '127.0.0.1:2181' }", options)
    .replace('5_000', timeoutMs);
  const args = ['--input-type=module', '-e', program];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stderr).toBe('');
  return stdout;
}

it('zk-locks works in a plain program, which exits by itself', async () => {
  expect(await runExample(ownRoot())).toMatch(/^alone, with token \d+n false\n$/);
});

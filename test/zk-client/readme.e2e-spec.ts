import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { codeIn } from '../support/documentation.js';
import { sharedServer } from '../support/shared-server.js';
import { ownNode } from '../support/own-node.js';
import { open } from './support.js';

const run = promisify(execFile);

const examples = codeIn(new URL('../../libs/zk-client/README.md', import.meta.url));

async function runExample(index: number, root: string): Promise<{ stdout: string }> {
  const example = examples[index] ?? '';
  const program = example.replace('2181', String(sharedServer().port)).replaceAll('/jobs', root);
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd,
  });
  expect(stderr).toBe('');
  return { stdout };
}

it('runs the example of a session', async () => {
  const root = await ownNode();
  const { stdout } = await runExample(0, root);
  expect(stdout).toContain('me 0\n');
  expect(stdout).toContain('session connected\n');
  const { connection } = await open();
  expect(await connection.list(root)).toEqual([]);
});

it('runs the example of a connection', async () => {
  const root = await ownNode();
  const { connection: witness, events } = await open();
  await witness.addWatch(root, { recursive: true });
  await runExample(1, root);
  await witness.sync(root);
  // Created, and gone with its session.
  expect(events).toEqual(
    Array.from({ length: 2 }, () => expect.stringMatching(/job-\d{10}$/) as string),
  );
});

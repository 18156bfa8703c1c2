import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { codeIn } from '../support/documentation.js';
import { sharedServer } from '../support/shared-server.js';
import { ownNode } from '../support/own-node.js';
import { open } from './support.js';

const run = promisify(execFile);

it('runs the example of the README', async () => {
  const root = await ownNode();
  const { connection: witness, events } = await open();
  await witness.addWatch(root, 'persistentRecursive');
  const [example = ''] = codeIn(new URL('../../libs/zk-client/README.md', import.meta.url));
  const program = example.replace('2181', String(sharedServer().port)).replaceAll('/jobs', root);
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stderr } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd });
  expect(stderr).toBe('');
  await witness.sync(root);
  // Created, and gone with its session.
  expect(events.map(({ path }) => path)).toEqual(
    Array.from({ length: 2 }, () => expect.stringMatching(/job-\d{10}$/) as string),
  );
});

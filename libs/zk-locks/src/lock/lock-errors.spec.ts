import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { LockTimeoutError } from './lock-errors.js';

it('a busy lock is printed in a line that names its holder, without the details of its znode', () => {
  const holders = [{ node: 'n-0000000001', since: new Date(0), holder: undefined }];
  const heldBy = 'Held by shop on vm (pid 7), which asked for it 2 s ago.';
  const error = new LockTimeoutError('order:42', 'write', 300, { holders, heldBy });
  error.stack = `${String(error)}\n    at tell (/app/node_modules/zk-locks/dist/index.cjs:1:2)`;
  expect(error.message).toContain(heldBy);
  expect(inspect(error)).toBe(`${String(error)} { code: 'LOCK_TIMEOUT' }`);
});

import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { monotonicMs } from '../../libs/zk-lock-cli/src/child/messages.js';
import { notesFolder } from './support.js';

const GUARD = fileURLToPath(new URL('../../libs/zk-lock-cli/dist/guard.cjs', import.meta.url));

it('is the guard of a command that does not start once the lease is over', async () => {
  const path = notesFolder().path('started');
  const guard = fork(GUARD);
  const ended = once(guard, 'message');
  guard.send({
    ...{ type: 'start', command: 'touch', args: [path], environment: process.env },
    ...{ foreground: false, killAfterMs: 100, leaseEndsAt: monotonicMs() },
  });
  expect((await ended)[0]).toMatchObject({ type: 'ended', wasLeaseOver: true });
  await once(guard, 'exit');
  expect(existsSync(path)).toBe(false);
});

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changesBy } from '../support/changes-by.js';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { uniqueRoot } from '../support/shared-server.js';
import { notesFolder, runCli, startCli } from './support.js';

/** Settings with a wrong password that no other process uses. */
function wrongPassword(): NodeJS.ProcessEnv {
  const notes = notesFolder();
  writeFileSync(notes.path('password'), 'guessed-0815\n');
  return { ZK_LOCK_USER: 'billing', ZK_LOCK_PASSWORD_FILE: notes.path('password') };
}

it.each(['is missing', 'is in use'])(
  'zk-lock ls, show, watch, and doctor --no-write change nothing if the root %s',
  async (state) => {
    const directory = ownRoot();
    const root = `${directory}/locks`;
    await (await openInspector()).create(directory);
    if (state === 'is in use') await (await openLocks({ root })).acquire('order:1');
    const environment = { ZK_LOCK_ROOT: root, ...wrongPassword() };
    const changes = await changesBy(directory, async () => {
      for (const args of [['ls'], ['show', 'order:1'], ['doctor', '--no-write']]) {
        expect((await runCli(args, environment)).code).toBeLessThan(2);
      }
      const watching = startCli(['watch', '--verbose'], environment);
      await watching.says(state === 'is in use' ? 'order:1' : 'with a new session');
      watching.signal('SIGINT');
      await watching.exit();
    });
    expect(changes).toEqual([]);
  },
);

it('zk-lock doctor creates no root for a user with a wrong password, and works at once with the right one', async () => {
  const root = uniqueRoot();
  const result = await runCli(['doctor', '--json'], { ZK_LOCK_ROOT: root, ...wrongPassword() });
  expect(result.code).toBe(0);
  expect(result.output).toContain(`the root ${root} does not exist, so no write was tried`);
  const inspector = await openInspector();
  expect(await inspector.exists(root)).toBeUndefined();
  const locks = await openLocks({ root, credentials: { username: 'billing', password: 'right' } });
  const lock = await locks.acquire('order:1', { timeoutMs: 0 });
  expect(lock.isHeld).toBe(true);
  await lock.release();
  await inspector.withAuth('digest', 'billing:right');
  await inspector.deleteTree(root);
});

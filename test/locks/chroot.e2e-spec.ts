import { expect, it, onTestFinished } from 'vitest';
import { openInspector, openLogged } from '../support/locks.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

/** Acquires a lock, and returns the log lines about the chroot. */
async function linesOf(servers: string): Promise<string[]> {
  const { locks, logger } = await openLogged({ servers });
  for (const key of ['a', 'b']) await (await locks.acquire(key)).release();
  await locks.close();
  return logger.of('log', 'warn', 'error').filter((line) => line.includes('chroot'));
}

it.each([
  ['is missing', ''],
  ['has a parent that exists', '/existing'],
])(
  'logs once that it has created the chroot, with path and connect string, if it %s',
  async (_, parent) => {
    const inspector = await openInspector();
    const top = uniqueRoot();
    onTestFinished(() => inspector.deleteTree(top));
    if (parent) for (const path of [top, top + parent]) await inspector.create(path);
    const chroot = `${top}${parent}/shop`;
    const servers = `${sharedServer().connectString}${chroot}`;
    const lines = await linesOf(servers);
    expect(lines).toEqual([expect.stringMatching(/^log: Created the chroot .* did not exist/)]);
    expect(lines[0]).toContain(`Created the chroot ${chroot} of ${servers}`);
    await waitFor(async () => !(await inspector.exists(`${chroot}/locks`)), {
      what: 'the empty directories below it to vanish',
    });
    expect(await inspector.exists(chroot)).toBeDefined();
    expect(await linesOf(servers)).toEqual([]);
  },
);

it('logs nothing about directories below the chroot, or without one', async () => {
  expect(await linesOf(sharedServer().connectString)).toEqual([]);
});

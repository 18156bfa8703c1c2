import { beforeAll, expect, it } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { LockDirectoryError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { InspectClient } from '../support/inspect-client.js';
import { openLocks, TestLocks, openLogged } from '../support/locks.js';
import { startServer } from '../support/test-server.js';
import { waitFor } from '../support/wait-for.js';

/** The directories of the tests, each below its own root, and their next sequence numbers. */
const COUNTERS = {
  '/last/k': 2_147_483_645,
  '/upgrade/k': 2_147_483_646,
  '/queue/k/locks': 2_147_483_646,
  '/permits/k/leases': 2_147_483_646,
};

let servers: string;
let inspector: InspectClient;

beforeAll(async () => {
  const server = await startServer();
  servers = server.connectString;
  {
    await using setUp = await InspectClient.connect(servers);
    for (const directory of Object.keys(COUNTERS)) {
      const names = directory.split('/');
      for (let depth = 2; depth <= names.length; depth++) {
        await setUp.create(names.slice(0, depth).join('/'));
      }
    }
  }
  await server.setNextSequences(COUNTERS);
  inspector = await InspectClient.connect(servers);
  return async () => {
    await inspector.close();
    await server.stop();
  };
}, 90_000);

const open = (root: string, options: Partial<LocksOptions> = {}): Promise<TestLocks> =>
  openLocks({ servers, root, ...options });

/** Resolves once a directory has this many nodes. */
async function untilLeft(directory: string, count: number): Promise<void> {
  await waitFor(async () => (await inspector.children(directory)).length === count, {
    what: `${count} nodes in ${directory}`,
  });
}

it('leaves the holder of the last number its lock, and refuses all later calls', async () => {
  const { locks: holders, logger } = await openLogged({ servers, root: '/last' });
  const others = await open('/last');
  await (await holders.acquire('k')).release();
  const lock = await holders.acquire('k');
  expect(await others.inspect('k')).toMatchObject({ lastSequence: 2_147_483_646 });

  expect(await others.tryAcquire('k')).toBeNull();
  for (const mode of ['write', 'read'] as const) {
    await expect(others.acquire('k', { mode })).rejects.toThrow(LockDirectoryError);
    await expect(holders.acquire('k', { mode, reentrant: false })).rejects.toThrow(
      'The sequence counter of /last/k has reached its end',
    );
  }
  await untilLeft('/last/k', 1);
  lock.assertHeld();
  await lock.release();
  await expect(others.tryAcquire('k')).rejects.toThrow('(zkCli.sh delete /last/k)');
  await untilLeft('/last/k', 0);
  expect(others.counts).toEqual({ held: 0, waiting: 0 });
  expect(logger.of('warn').filter((line) => line.includes('sequence counter'))).toEqual([
    expect.stringContaining('/last/k is at 2147483645'),
  ]);
});

it('refuses an upgrade whose marker has no number, and leaves the upgradable lock', async () => {
  const locks = await open('/upgrade');
  const lock = await locks.acquireUpgradable('k');
  await expect(lock.upgrade()).rejects.toThrow(LockDirectoryError);
  lock.assertHeld();
  await untilLeft('/upgrade/k', 1);
  await lock.release();
  await untilLeft('/upgrade/k', 0);
});

it.each([
  ['/queue', '/queue/k/locks'],
  ['/permits', '/permits/k/leases'],
])('refuses permits in %s if the directory %s is at its end', async (root, directory) => {
  const semaphore = (await open(root)).semaphore('k', { permits: 2 });
  const permit = await semaphore.acquire();
  await expect(semaphore.acquire()).rejects.toThrow(`(zkCli.sh delete ${directory})`);
  permit.assertHeld();
  await permit.release();
  await expect(semaphore.tryAcquire()).rejects.toThrow(LockDirectoryError);
  await untilLeft(directory, 0);
});

import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { LockTree } from 'zk-locks/inspect';
import { openInspector, openLocks } from '../support/locks.js';
import { startServer } from '../support/test-server.js';

const NODES = 40;
const MEGABYTE = 1_000_000;

const nodeOf = (mode: string, index: number): string =>
  `_c_${randomUUID()}-__${mode}__${String(index).padStart(10, '0')}`;

/** A directory of readers in line, behind a holder of ours, with a megabyte each. */
async function openLarge() {
  // Their data are a good part of what a server has for itself.
  const server = await startServer();
  onTestFinished(() => server.stop());
  const { connectString: servers } = server;
  const root = '/locks';
  const locks = await openLocks({ servers, root });
  const inspector = await openInspector(servers);
  const held = await locks.acquire('k');
  const paths = Array.from(
    { length: NODES },
    (_, index) => `${root}/k/${nodeOf('READ', 10 + index)}`,
  );
  for (const path of paths) await inspector.create(path, Buffer.alloc(MEGABYTE, 'x'), 'ephemeral');
  const leave = async (): Promise<void> => {
    await held.release();
    await Promise.all(paths.map((path) => inspector.delete(path)));
  };
  return { servers, root, locks, inspector, leave };
}

it('of strangers are not asked for, and not kept', async () => {
  const { servers, root, locks, leave } = await openLarge();
  const before = process.memoryUsage().arrayBuffers;
  const tree = await LockTree.open({ servers, root });
  onTestFinished(() => tree.close());
  const found = (await tree.read()).get('k');
  const { waiters } = await locks.inspect('k');
  const { unknown } = await locks.deadlocks();
  await expect(locks.acquire('k', { timeoutMs: 100 })).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
  });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((NODES * MEGABYTE) / 4);
  expect(found?.waiters).toHaveLength(NODES);
  expect(found?.waiters[0]).toMatchObject({ holder: undefined, text: '1000000 bytes' });
  expect([waiters.length, unknown]).toEqual([NODES, NODES]);
  await leave();
});

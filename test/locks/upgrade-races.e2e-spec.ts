import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { holdReads } from '../support/hold-reads.js';
import { openTwo } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

it('ends a waiting upgrade together with its section', async () => {
  const { locks, others, queued } = await openTwo();
  const reader = await others.acquire('k', { mode: 'read' });
  let upgrading: Promise<unknown> | undefined;
  await locks.withUpgradableLock('k', {}, async (lock) => {
    upgrading = lock.upgrade({ timeoutMs: Infinity }).catch((error: unknown) => error);
    await queued(3);
  });
  expect(await upgrading).toMatchObject({ code: 'LOCK_RELEASED' });
  await queued(1);
  await (await others.acquire('k', { mode: 'read' })).release();
  await reader.release();
});

it('times out on time if the last answers are missing, and leaves nothing behind', async () => {
  const { locks, queued } = await openTwo();
  const toIntent = holdReads(locks, (path) => path.includes('%upgradable'));
  await expect(locks.acquireUpgradable('k', { timeoutMs: 100 })).rejects.toMatchObject({
    code: 'ZK_UNAVAILABLE',
  });
  await queued(0);
  toIntent.letGo();
  vi.restoreAllMocks();

  const lock = await locks.acquireUpgradable('k');
  const toWriter = holdReads(locks, (path) => path.includes('__WRIT__'));
  await expect(lock.upgrade({ timeoutMs: 100 })).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
  await queued(1);
  toWriter.letGo();
  await new Promise(setImmediate);
  expect(lock.isHeld).toBe(true);
  await lock.release();
});

it('leaves no reader behind if its intent node may not be read', async () => {
  // The other client recognizes its intent by its creation, and takes another one if that is
  // unreadable.
  const { root, inspector, queued, locks, others } = await openTwo({ client: 'native' });
  const writer = await others.acquire('k');
  const { letGo } = holdReads(locks, (path) => path.includes('%upgradable/'));
  const acquiring = locks.acquireUpgradable('k').catch((error: unknown) => error);
  await queued(2);
  const [intent] = await inspector.children(`${root}/k%upgradable`);
  await inspector.restrictTo(`${root}/k%upgradable/${intent!}`, 'operator', 'secret');
  letGo();
  await writer.release();
  expect(await acquiring).toMatchObject({ code: 'LOCK_ACCESS_DENIED' });
  await queued(0);
});

it('waits for the readers behind a writer’s node that is created late, ahead of its own', async () => {
  const { root, directory, inspector, locks: one, others: other } = await openTwo();
  for (const path of [root, directory]) await inspector.create(path);
  const prefix = `${directory}/_c_${randomUUID()}-__WRIT__`;
  const past = await inspector.create(prefix, '', 'persistentSequential');
  await inspector.delete(past);
  const upgradable = await one.acquireUpgradable('k');
  const reader = await other.acquire('k', { mode: 'read' });
  await inspector.create(past);

  let isUpgraded = false;
  const watch = vi.spyOn(one.session, 'watch');
  const upgrading = upgradable.upgrade().finally(() => (isUpgraded = true));
  await waitFor(() => watch.mock.calls.length > 0 || isUpgraded, { what: 'the upgrade to wait' });
  await inspector.delete(past);
  expect(isUpgraded).toBe(false);
  expect(reader.isHeld).toBe(true);
  await reader.release();
  await using writer = await upgrading;
  expect(writer.isHeld).toBe(true);
  await upgradable.release();
});

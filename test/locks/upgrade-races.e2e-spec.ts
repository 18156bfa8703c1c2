import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { holdReads } from '../support/hold-reads.js';
import type { TestLocks } from '../support/locks.js';
import { openTwo, type Place } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** Keeps back the answers to reads of some nodes until it is called. */
function keepBackReads({ session }: TestLocks, isMeant: (path: string) => boolean): () => void {
  const get = session.get.bind(session);
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  vi.spyOn(session, 'get').mockImplementation(async (lease, path, options) => {
    const content = await get(lease, path, options);
    if (isMeant(path)) await opened;
    return content;
  });
  return open;
}

/** Puts a writer and a reader of another library behind the first node of the queue. */
async function putBehind({ directory, inspector }: Place) {
  const node = (kind: string, sequence: number): string =>
    `${directory}/_c_${randomUUID()}-__${kind}__000000000${sequence}`;
  const [writer, reader] = [node('WRIT', 1), node('READ', 2)];
  for (const path of [writer, reader]) await inspector.create(path);
  return { writer, reader };
}

it('waits for a reader that got in because its writer gave up just then, and not before it', async () => {
  const place = await openTwo();
  const { locks, inspector, queue, queued } = place;
  const lock = await locks.acquireUpgradable('k');
  const { writer, reader } = await putBehind(place);
  // The server counts them: the marker will come after them.
  const create = locks.session.create.bind(locks.session);
  vi.spyOn(locks.session, 'create').mockImplementation(async (lease, path, data, mode) => {
    const isOwnWriter = mode === 'ephemeral';
    if (isOwnWriter && (await inspector.exists(writer))) await inspector.delete(writer);
    return create(lease, path, data, mode);
  });

  let isUpgraded = false;
  const upgrading = lock.upgrade().finally(() => (isUpgraded = true));
  // The reader may wait for our writer's node, which therefore has to go.
  await waitFor(async () => !(await inspector.exists(writer)), { what: 'the writer to give up' });
  await queued(3);
  expect(await queue()).toEqual([
    expect.stringMatching(/READ__0000000000$/),
    expect.stringMatching(/READ__0000000002$/),
    expect.stringMatching(/WRIT__\d{9}[3-9]$/),
  ]);
  expect(isUpgraded).toBe(false);
  await inspector.delete(reader);
  await (await upgrading).release();
  await lock.release();
});

it('is not told that another upgrade is before it, which has given up and looks who was in its way', async () => {
  const { locks, others } = await openTwo();
  const lock = await locks.acquireUpgradable('k');
  const reader = await others.acquire('k', { mode: 'read' });
  const first = lock.upgrade({ timeoutMs: 1_000 });
  const list = locks.session.list.bind(locks.session);
  let second: Promise<Lock | Error> | undefined;
  const remove = vi.spyOn(locks.session, 'delete');
  vi.spyOn(locks.session, 'list').mockImplementation(async (lease, path, options) => {
    // The first one has taken its marker away: this is its look.
    if (remove.mock.calls.length > 0 && !second) {
      await reader.release();
      second = lock.upgrade({ timeoutMs: 0 }).catch((error: unknown) => error as Error);
    }
    return list(lease, path, options);
  });
  await expect(first).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  expect(await second).toMatchObject({ mode: 'write', isHeld: true });
  await lock.release();
});

it('keeps its writer when a reader of the same section leaves as the upgrade comes through', async () => {
  const { locks, others } = await openTwo();
  const get = locks.session.get.bind(locks.session);
  for (let turns = 0; turns < 16; turns++) {
    await locks.withUpgradableLock('k', {}, async (lock) => {
      const reader = await locks.acquire('k', { mode: 'read' });
      const leave = async (): Promise<void> => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        await reader.release();
      };
      let leaving: Promise<void> | undefined;
      vi.spyOn(locks.session, 'get').mockImplementation(async (lease, path, options) => {
        const content = await get(lease, path, options);
        if (path.includes('__WRIT__')) leaving = leave();
        return content;
      });
      const writing = await lock.upgrade();
      await leaving;
      expect((await others.inspect('k')).holders).toMatchObject([{ mode: 'write' }]);
      expect(await others.tryAcquire('k', { mode: 'read' })).toBeNull();
      await writing.release();
    });
  }
});

it('ends an upgrade that waits with the section that it belongs to', async () => {
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

it('bounds each of several upgrades by its own time and signal', async () => {
  const { locks, others, queued } = await openTwo();
  const lock = await locks.acquireUpgradable('k');
  const reader = await others.acquire('k', { mode: 'read' });
  const first = lock.upgrade();
  await queued(3);
  await expect(lock.upgrade({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  await expect(lock.upgrade({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  await expect(lock.upgrade({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'LOCK_ABORTED',
  });
  const last = lock.upgrade();
  await reader.release();
  expect([(await first).isHeld, (await last).isHeld]).toEqual([true, true]);
  await lock.release();
});

it('keeps to its time when the last answers stay away, and leaves nothing', async () => {
  const { locks, queued } = await openTwo();
  const toIntent = keepBackReads(locks, (path) => path.includes('%upgradable'));
  await expect(locks.acquireUpgradable('k', { timeoutMs: 100 })).rejects.toMatchObject({
    code: 'ZK_UNAVAILABLE',
  });
  await queued(0);
  toIntent();
  vi.restoreAllMocks();

  const lock = await locks.acquireUpgradable('k');
  const toWriter = keepBackReads(locks, (path) => path.includes('__WRIT__'));
  await expect(lock.upgrade({ timeoutMs: 100 })).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
  await queued(1);
  toWriter();
  await new Promise(setImmediate);
  expect(lock.isHeld).toBe(true);
  await lock.release();
});

it('leaves no reader behind when it may not see its intent', async () => {
  // The other client knows its intent by its creation, and takes another one when that is unreadable.
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

it('waits for the readers behind a writer’s node that comes late, in a place before its own', async () => {
  const { root, directory, inspector, locks: one, others: other } = await openTwo();
  for (const path of [root, directory]) await inspector.create(path);
  const prefix = `${directory}/_c_${randomUUID()}-__WRIT__`;
  const past = await inspector.create(prefix, '', 'persistentSequential');
  await inspector.delete(past);
  const upgradable = await one.acquireUpgradable('k');
  const reader = await other.acquire('k', { mode: 'read' });
  await inspector.create(past);

  let isUpgraded = false;
  const watch = vi.spyOn(one.session, 'setWatch');
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

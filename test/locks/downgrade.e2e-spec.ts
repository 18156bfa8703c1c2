import { expect, it, vi } from 'vitest';
import type { Lock } from 'nestjs-zk-lock';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { holdReads } from '../support/hold-reads.js';
import { lossOf, type TestLocks } from '../support/locks.js';
import { openTwo } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** A reader that was acquired inside a writer and has outlived it. */
function downgraded(locks: TestLocks): Promise<Lock> {
  return locks.withLock('k', () => locks.acquire('k', { mode: 'read' }));
}

it.each(['curator-rw', 'kazoo'] as const)(
  'admits readers but no writer, and keeps the position and the token of the writer (%s)',
  async (dialect) => {
    const { queue, queued, locks, others } = await openTwo({ dialect });
    let token = 0n;
    let writing: Promise<Lock> | undefined;
    const reader = await locks.withLock('k', async (writer) => {
      token = writer.fencingToken;
      writing = others.acquire('k');
      await queued(2);
      return locks.acquire('k', { mode: 'read' });
    });

    expect(reader.isHeld).toBe(true);
    expect(reader.fencingToken).toBe(token);
    await queued(2);
    const [own, waiting] = await queue();
    expect(own).toMatch(/(__READ__|__rlock__)0000000000$/);
    expect(waiting).toMatch(/(__WRIT__|__lock__)0000000001$/);
    expect(await others.tryAcquire('k', { mode: 'read' })).toBeNull();

    await reader.release();
    await (await writing!).release();
  },
);

it('is lost when its own node is deleted', async () => {
  const { locks, remove } = await openTwo();
  const reader = await downgraded(locks);
  await remove();
  await lossOf(reader);
  expect(reader.isHeld).toBe(false);
  await reader.release();
});

it('remains a writer if the reader’s node may not be read, and leaves no node behind', async () => {
  const { queue, locks } = await openTwo();
  let reader: Lock | undefined;
  await locks.withLock('k', async () => {
    reader = await locks.acquire('k', { mode: 'read' });
    const get = locks.session.get.bind(locks.session);
    vi.spyOn(locks.session, 'get').mockImplementation((lease, path, options) =>
      path.includes('__READ__')
        ? Promise.reject(new ZooKeeperError(ReturnCode.noAuth, 'get', path))
        : get(lease, path, options),
    );
  });
  expect(await queue()).toEqual([expect.stringContaining('__WRIT__')]);
  expect(reader!.isHeld).toBe(true);
  await reader!.release();
});

it("is revoked even if the request reaches the writer's node at the last moment", async () => {
  const { queue, locks, directory, inspector } = await openTwo();
  const { session } = locks;
  let reader: Lock | undefined;
  await locks.withLock('k', async () => {
    reader = await locks.acquire('k', { mode: 'read' });
    const path = `${directory}/${(await queue())[0]!}`;
    const { letGo } = holdReads(locks, (read) => read === path);
    const set = session.set.bind(session);
    vi.spyOn(session, 'set').mockImplementationOnce(async (...args) => {
      const holder = JSON.parse(String((await inspector.get(path)).data)) as object;
      await inspector.set(path, JSON.stringify({ ...holder, revokedAt: 'now' }));
      // The event and its effects may come after the writer has sent its own request.
      await set(...args).finally(letGo);
    });
  });
  await waitFor(() => reader!.revoked.aborted, { what: 'the request' });
  expect(await queue()).toEqual([expect.stringContaining('__READ__')]);
  await reader!.release();
});

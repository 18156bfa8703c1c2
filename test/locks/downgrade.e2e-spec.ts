import { expect, it, vi } from 'vitest';
import type { Lock } from 'nestjs-zk-lock';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-locks/src/client/client-errors.js';
import { LockUpgradeError } from '../../libs/zk-locks/src/lock-errors.js';
import { lossOf, type TestLocks } from '../support/locks.js';
import { openBehindProxy, openTwo } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** A reader that was taken inside a writer, and has outlived it. */
function downgraded(locks: TestLocks): Promise<Lock> {
  return locks.withLock('k', () => locks.acquire('k', { mode: 'read' }));
}

it.each(['curator-rw', 'kazoo'] as const)(
  'lets readers in and no writer, with the place and the token of the writer (%s)',
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

it.each([
  ['its own process', true],
  ['another process', false],
])('keeps a writer of %s waiting, which has seen the writer go', async (_, isOwn) => {
  const { proxy, locks, open } = await openBehindProxy();
  const waiters = isOwn ? locks : await open({ servers: proxy.connectString });
  let writer: Lock | undefined;
  let writing: Promise<Lock> | undefined;
  const reader = await locks.withLock('k', async () => {
    writing = waiters.acquire('k', { reentrant: false }).then((lock) => (writer = lock));
    const reads = async (): Promise<number> => (await proxy.requests()).getData;
    // Both read their own nodes, and a waiter of another session that of the holder.
    const all = isOwn ? 2 : 3;
    await waitFor(async () => (await reads()) === all, { what: 'the writer to wait' });
    await proxy.resetCounters();
    return locks.acquire('k', { mode: 'read' });
  });

  await waitFor(async () => (await proxy.requests()).getChildren === 1, {
    what: 'the writer to look',
  });
  expect(await locks.tryAcquire('k')).toBeNull();
  expect(writer).toBeUndefined();
  expect(reader.isHeld).toBe(true);
  await reader.release();
  await (await writing!).release();
});

it('lets other readers in where no writer waits, and is one holder before and after', async () => {
  const { locks, others } = await openTwo();
  const holders = async (): Promise<unknown> => (await locks.inspect('k')).holders;
  const reader = await locks.withLock('k', async () => {
    const inner = await locks.acquire('k', { mode: 'read' });
    expect(await holders()).toMatchObject([{ mode: 'write' }]);
    return inner;
  });
  // It ends with its session.
  expect(await holders()).toMatchObject([{ mode: 'read', isEphemeral: true }]);
  const second = await others.tryAcquire('k', { mode: 'read' });
  expect(second).not.toBeNull();
  expect(await others.tryAcquire('k')).toBeNull();
  await reader.release();
  await second!.release();
  expect(await holders()).toEqual([]);
});

it('keeps the writer as long as any writer of the holding is left', async () => {
  const { locks, others } = await openTwo();
  const [reader, inner] = await locks.withLock('k', async () => [
    await locks.acquire('k', { mode: 'read' }),
    await locks.acquire('k'),
  ]);
  expect(await others.tryAcquire('k', { mode: 'read' })).toBeNull();
  await inner.release();
  await (await others.tryAcquire('k', { mode: 'read' }))!.release();
  await reader.release();
});

it('is a reader like any other to its own process: no writer joins it', async () => {
  const { locks } = await openTwo();
  await locks.withLock('k', async (writer) => {
    const reader = await locks.acquire('k', { mode: 'read' });
    await writer.release();
    await expect(locks.acquire('k')).rejects.toThrow(LockUpgradeError);
    await using again = await locks.acquire('k', { mode: 'read' });
    expect(again.fencingToken).toBe(reader.fencingToken);
    await reader.release();
  });
});

it('is lost when its own node is deleted, no longer with that of the writer', async () => {
  const { locks, remove } = await openTwo();
  const reader = await downgraded(locks);
  await remove();
  await lossOf(reader);
  expect(reader.isHeld).toBe(false);
  await reader.release();
});

it('hands nothing over that is lost already', async () => {
  const { locks, remove } = await openTwo();
  const creates = vi.spyOn(locks.session, 'create');
  await locks.withLock('k', async (writer) => {
    const reader = await locks.acquire('k', { mode: 'read' });
    await remove();
    await lossOf(writer);
    creates.mockClear();
    await writer.release();
    expect(creates).not.toHaveBeenCalled();
    await reader.release();
  });
});

it('stays a writer where the node of the reader may not be read, and leaves that to nobody', async () => {
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

it('survives that the answers are lost', async () => {
  const { queue, proxy, locks, others } = await openBehindProxy();
  for (let round = 0; round < 5; round++) {
    const reader = await locks.withLock('k', async (writer) => {
      const inner = await locks.acquire('k', { mode: 'read' });
      const loss = await proxy.loseNextReply(round % 2 === 0 ? 'create' : 'delete');
      await writer.release();
      await loss.happened;
      return inner;
    });
    await waitFor(async () => (await queue()).every((name) => name.includes('__READ__')), {
      what: 'the writer to be gone',
    });
    expect(reader.isHeld).toBe(true);
    await (await others.acquire('k', { mode: 'read' })).release();
    await reader.release();
  }
});

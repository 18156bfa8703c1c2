import { describe, expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-locks/src/client/client-errors.js';
import type { InspectClient } from '../support/inspect-client.js';
import { openProxy } from '../support/open-proxy.js';
import { lockNodes, openInspector, openLocks, ownRoot, type TestLocks } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

const RIVAL = `_c_00000000-0000-0000-0000-000000000000-__WRIT__`;
const READER = `_c_00000000-0000-0000-0000-000000000000-__READ__`;

/**
 * A lock manager that has had a key for itself, and what its next calls list. So many times, that what
 * else happens on the server cannot be the directory's being made anew.
 */
async function openAlone(
  client: 'native' | 'wire',
  { servers, cycles = 30 }: { servers?: string; cycles?: number } = {},
) {
  const root = ownRoot();
  const directory = `${root}/k`;
  const inspector = await openInspector();
  // No container, which the server may remove whenever it is empty.
  await inspector.create(root);
  await inspector.create(directory);
  const locks = await openLocks({ root, client, ...(servers && { servers }) });
  await repeat(locks, cycles);
  const lists = vi.spyOn(locks.session, 'list');
  return { locks, lists, directory, inspector };
}

/** Somebody else queues up, to write. */
const comes = (inspector: InspectClient, directory: string): Promise<string> =>
  inspector.create(`${directory}/${RIVAL}`, '', 'persistentSequential');

async function repeat(locks: TestLocks, cycles: number): Promise<void> {
  for (let cycle = 0; cycle < cycles; cycle++) await (await locks.acquire('k')).release();
}

describe.each(['native', 'wire'] as const)('a lock that is taken again, with %s,', (client) => {
  it('is had without a look at the queue where nobody has been there since', async () => {
    const { locks, lists } = await openAlone(client);
    const tokens: bigint[] = [];
    for (let cycle = 0; cycle < 5; cycle++) {
      await locks.withLock('k', (lock) => {
        expect(lock.isHeld).toBe(true);
        tokens.push(lock.fencingToken);
      });
    }
    expect(lists).not.toHaveBeenCalled();
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(tokens).size).toBe(5);
  });

  it('is had for reading as well', async () => {
    const { locks, lists } = await openAlone(client);
    await locks.withLock('k', { mode: 'read' }, () => undefined);
    expect(lists).not.toHaveBeenCalled();
  });

  it('is waited for where somebody has come in between', async () => {
    const { locks, lists, inspector, directory } = await openAlone(client);
    const rival = await comes(inspector, directory);
    const waiting = locks.acquire('k');
    await waitFor(() => lists.mock.calls.length > 0, { what: 'a look at the queue' });
    await expect(locks.acquire('k', { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
    await inspector.delete(rival);
    await (await waiting).release();
  });

  it('is waited for in a directory that was made anew, and has come to the same number', async () => {
    const { locks, inspector, directory } = await openAlone(client, { cycles: 4 });
    // Four have been there, and the next one has number 4. The server may have removed it by itself.
    await inspector.deleteTree(directory);
    await inspector.create(directory);
    for (let number = 0; number < 3; number++) {
      await inspector.delete(await comes(inspector, directory));
    }
    const rival = await comes(inspector, directory);
    expect(rival).toMatch(/0000000003$/);
    const granted = vi.fn();
    const waiting = locks.acquire('k').finally(granted);
    await waitFor(async () => (await lockNodes(inspector, directory)).length === 2, {
      what: 'our node to be in the queue',
    });
    await expect(locks.acquire('k', { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
    expect(granted).not.toHaveBeenCalled();
    await inspector.delete(rival);
    await (await waiting).release();
  });

  it('is waited for by two calls of one process in turn', async () => {
    const { locks } = await openAlone(client);
    let inside = 0;
    const work = async (): Promise<void> => {
      for (let cycle = 0; cycle < 10; cycle++) {
        await locks.withLock('k', async () => {
          expect(++inside).toBe(1);
          await Promise.resolve();
          inside--;
        });
      }
    };
    await Promise.all([work(), work()]);
  });

  it('is looked at on a new connection, and until nobody has come in between there', async () => {
    const proxy = await openProxy();
    const { locks, lists } = await openAlone(client, { servers: proxy.connectString });
    let connections = 0;
    locks.session.onState(({ name }) => void (connections += name === 'connected' ? 1 : 0));
    await proxy.cut();
    await waitFor(() => connections === 2, { what: 'the next connection' });
    await repeat(locks, 2);
    expect(lists).toHaveBeenCalledTimes(2);
    await repeat(locks, 2);
    expect(lists).toHaveBeenCalledTimes(2);
  });

  it('is waited for where a reader of somebody else was there before our own', async () => {
    const { locks, inspector, directory } = await openAlone(client);
    const reader = await inspector.create(`${directory}/${READER}`, '', 'persistentSequential');
    for (let cycle = 0; cycle < 3; cycle++) {
      await locks.withLock('k', { mode: 'read' }, () => undefined);
    }
    await expect(locks.acquire('k', { timeoutMs: 500 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
    await inspector.delete(reader);
  });

  it('is waited for where our own node before it may not be deleted', async () => {
    const { locks } = await openAlone(client);
    const lock = await locks.acquire('k');
    const refusal = new ZooKeeperError(ReturnCode.noAuth, 'delete', 'k');
    vi.spyOn(locks.session, 'delete').mockRejectedValueOnce(refusal);
    await lock.release();
    await expect(locks.acquire('k', { timeoutMs: 500 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
  });

  it('is looked at where somebody else has removed our own node before it', async () => {
    const { locks, lists, inspector, directory } = await openAlone(client);
    const lock = await locks.acquire('k');
    const [node] = await lockNodes(inspector, directory);
    await inspector.delete(`${directory}/${node!}`);
    await waitFor(() => !lock.isHeld, { what: 'the holder to be told' });
    await lock.release();
    expect(lists).not.toHaveBeenCalled();
    await repeat(locks, 1);
    expect(lists).toHaveBeenCalledOnce();
  });

  it('is found again when the answer to its creation was lost', async () => {
    const proxy = await openProxy();
    const { locks, inspector, directory } = await openAlone(client, {
      servers: proxy.connectString,
    });
    const loss = await proxy.loseNextReply('create');
    const acquiring = locks.acquire('k');
    await loss.happened;
    await using lock = await acquiring;
    expect(lock.isHeld).toBe(true);
    expect(await lockNodes(inspector, directory)).toHaveLength(1);
  });
});

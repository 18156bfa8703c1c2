import { expect, it, vi } from 'vitest';
import { LockLostError, LockRevokedError } from '../../libs/zk-locks/src/lock-errors.js';
import { fencingToken } from '../../libs/zk-locks/src/queue/fencing-token.js';
import { holdReads } from '../support/hold-reads.js';
import { openProxy } from '../support/open-proxy.js';
import { lockNodes, openInspector, openLocks, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

/** A lock manager that reads no node until it is told to; with a client that need not. */
async function openUnread(servers?: string) {
  const root = ownRoot();
  const directory = `${root}/k`;
  const inspector = await openInspector();
  // One that stays when it is empty: that it has to be created is not the story here.
  await inspector.create(root);
  await inspector.create(directory);
  const locks = await openLocks({ root, client: 'wire', ...(servers && { servers }) });
  return { locks, inspector, directory, ...holdReads(locks) };
}

it('has a free lock by what its creation has told, with the token that others see', async () => {
  const { locks, inspector, directory, letGo } = await openUnread();
  const lock = await locks.acquire('k');
  const [name = ''] = await lockNodes(inspector, directory);
  const { stat } = await inspector.get(`${directory}/${name}`);
  expect(lock.fencingToken).toBe(fencingToken(BigInt(stat.czxid)));
  expect(lock.isHeld).toBe(true);
  letGo();
  await lock.release();
});

it('hears of what became of its node before the first read', async () => {
  const { locks, inspector, directory, letGo } = await openUnread();
  const lock = await locks.acquire('k');
  const [name = ''] = await lockNodes(inspector, directory);
  await inspector.delete(`${directory}/${name}`);
  letGo();
  await waitFor(() => lock.signal.aborted, { what: 'the loss to be told' });
  expect(lock.signal.reason).toBeInstanceOf(LockLostError);
  expect(lock.signal.reason).toMatchObject({ reason: 'node-deleted' });
});

it('hears of a request that was written before the first read', async () => {
  const { locks, inspector, directory, letGo } = await openUnread();
  await using lock = await locks.acquire('k');
  const [name = ''] = await lockNodes(inspector, directory);
  await inspector.set(`${directory}/${name}`, '__REVOKE__');
  letGo();
  await waitFor(() => lock.revoked.aborted, { what: 'the request to be told' });
  expect(lock.revoked.reason).toBeInstanceOf(LockRevokedError);
  expect(lock.isHeld).toBe(true);
});

it.each(['create', 'getChildren'] as const)(
  'reads its node before it has the lock, where the answer to %s was lost',
  async (operation) => {
    const proxy = await openProxy();
    const { locks, reads, letGo } = await openUnread(proxy.connectString);
    const loss = await proxy.loseNextReply(operation);
    const granted = vi.fn();
    const acquiring = locks.acquire('k').then((lock) => {
      granted();
      return lock;
    });
    await loss.happened;
    await waitFor(() => reads.mock.calls.length > 0, { what: 'the node to be read' });
    expect(granted).not.toHaveBeenCalled();
    letGo();
    await using lock = await acquiring;
    expect(lock.isHeld).toBe(true);
  },
);

import { expect, it, vi } from 'vitest';
import { LockLostError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { fencingToken } from '../../libs/zk-locks/src/nodes/fencing-token.js';
import { holdReads } from '../support/hold-reads.js';
import { lossOf } from '../support/locks.js';
import { openLastingPlace } from '../support/place.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';

/** Locks that read no node until the test lets them, with the client that does not need to. */
async function openUnread(servers?: string) {
  // The directory is persistent, because its creation is not part of these tests.
  const place = await openLastingPlace();
  const locks = await place.open({ client: 'wire', ...(servers && { servers }) });
  // Independent of the speed of the machine.
  vi.spyOn(locks.session.news, 'isRecent').mockReturnValue(true);
  const ownNode = async (): Promise<string> => `${place.directory}/${(await place.queue())[0]!}`;
  return { ...place, locks, ownNode, ...holdReads(locks) };
}

it('gets a free lock from the answer to its creation, with the token that others see', async () => {
  const { locks, inspector, ownNode, letGo } = await openUnread();
  const lock = await locks.acquire('k');
  const { stat } = await inspector.get(await ownNode());
  expect(lock.fencingToken).toBe(fencingToken(BigInt(stat.czxid)));
  expect(lock.isHeld).toBe(true);
  letGo();
  await lock.release();
});

it('notices what happened to its node before the first read', async () => {
  const { locks, remove, letGo } = await openUnread();
  const lock = await locks.acquire('k');
  await remove();
  letGo();
  const loss = await lossOf(lock);
  expect(loss).toBeInstanceOf(LockLostError);
  expect(loss).toMatchObject({ reason: 'node-deleted' });
});

it.each(['create', 'getChildren'] as const)(
  'reads its node before the grant if the answer to %s was lost',
  async (operation) => {
    const proxy = await openProxy();
    const { locks, reads, letGo } = await openUnread(proxy.connectString);
    const loss = await proxy.loseNextReply(operation);
    const granted = vi.fn();
    const acquiring = locks.acquire('k').finally(granted);
    await loss.happened;
    await waitFor(() => reads.mock.calls.length > 0, { what: 'the node to be read' });
    expect(granted).not.toHaveBeenCalled();
    letGo();
    await using lock = await acquiring;
    expect(lock.isHeld).toBe(true);
  },
);

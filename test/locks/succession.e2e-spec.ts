import { describe, expect, it, vi } from 'vitest';
import { CLIENT_NAMES, type ClientName } from '../../libs/zk-locks/src/client/client-name.js';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-locks/src/client/client-errors.js';
import { expectRising, reconnect, type TestLocks } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { openLastingPlace } from '../support/place.js';

/**
 * Locks that were alone on a key, and the lists of their next calls. They are taken so often that a
 * directory made anew could not have counted up to the same number within the few other
 * transactions on the server.
 */
async function openAlone(
  client: ClientName,
  { servers, cycles = 30 }: { servers?: string; cycles?: number } = {},
) {
  const place = await openLastingPlace();
  const locks = await place.open({ client, ...(servers && { servers }) });
  await repeat(locks, cycles);
  const lists = vi.spyOn(locks.session, 'list');
  /** A contender of another library joins the queue. */
  const comes = (kind: 'READ' | 'WRIT'): Promise<string> => {
    const prefix = `${place.directory}/_c_00000000-0000-0000-0000-000000000000-__${kind}__`;
    return place.inspector.create(prefix, '', 'persistentSequential');
  };
  return { ...place, locks, lists, comes };
}

async function repeat(locks: TestLocks, cycles: number): Promise<void> {
  for (let cycle = 0; cycle < cycles; cycle++) await (await locks.acquire('k')).release();
}

async function expectBusy(locks: TestLocks, timeoutMs: number): Promise<void> {
  const refused = locks.acquire('k', { timeoutMs });
  await expect(refused).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
}

describe.each(CLIENT_NAMES)('a lock that is taken again, with %s,', (client) => {
  it('is had without a look at the queue where no other has been there since, also for reading', async () => {
    const { locks, lists } = await openAlone(client);
    const tokens: bigint[] = [];
    for (let cycle = 0; cycle < 5; cycle++) {
      await locks.withLock('k', (lock) => {
        expect(lock.isHeld).toBe(true);
        tokens.push(lock.fencingToken);
      });
    }
    await locks.withLock('k', { mode: 'read' }, ({ fencingToken }) => tokens.push(fencingToken));
    expect(lists).not.toHaveBeenCalled();
    expectRising(tokens);
  });

  it('is looked at on a new connection, and until no other has come in between there', async () => {
    const proxy = await openProxy();
    const { locks, lists } = await openAlone(client, { servers: proxy.connectString });
    await reconnect(proxy, locks);
    await repeat(locks, 2);
    expect(lists).toHaveBeenCalledTimes(2);
    await repeat(locks, 2);
    expect(lists).toHaveBeenCalledTimes(2);
  });

  it('is waited for where our own node before it may not be deleted', async () => {
    const { locks } = await openAlone(client);
    const lock = await locks.acquire('k');
    const refusal = new ZooKeeperError(ReturnCode.noAuth, 'delete', 'k');
    vi.spyOn(locks.session, 'delete').mockRejectedValueOnce(refusal);
    await lock.release();
    await expectBusy(locks, 500);
  });
});

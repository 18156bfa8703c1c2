import { describe, expect, it, vi } from 'vitest';
import { CLIENT_NAMES, type ClientName } from '../../libs/zk-locks/src/options/client-name.js';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { type TestLocks } from '../support/locks.js';
import { openLastingPlace } from '../support/place.js';

async function openAlone(client: ClientName) {
  const place = await openLastingPlace();
  return { ...place, locks: await place.open({ client }) };
}

async function expectBusy(locks: TestLocks, timeoutMs: number): Promise<void> {
  const refused = locks.acquire('k', { timeoutMs });
  await expect(refused).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
}

describe.each(CLIENT_NAMES)('a lock that is taken again, with %s,', (client) => {
  it('is waited for where our own node before it may not be deleted', async () => {
    const { locks } = await openAlone(client);
    const lock = await locks.acquire('k');
    const refusal = new ZooKeeperError(ReturnCode.noAuth, 'delete', 'k');
    vi.spyOn(locks.session, 'delete').mockRejectedValueOnce(refusal);
    await lock.release();
    await expectBusy(locks, 500);
  });
});

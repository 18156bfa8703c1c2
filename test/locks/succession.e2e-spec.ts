import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { refusedWithHolders } from '../support/locks.js';
import { openLastingPlace } from '../support/place.js';

it('a call waits for the lock if an earlier node of its own process cannot be deleted', async () => {
  const locks = await (await openLastingPlace()).open();
  const lock = await locks.acquire('k');
  const refusal = new ZooKeeperError(ReturnCode.noAuth, 'delete', 'k');
  vi.spyOn(locks.session, 'delete').mockRejectedValueOnce(refusal);
  await lock.release();
  const refused = await refusedWithHolders(() => locks.acquire('k', { timeoutMs: 2_000 }));
  expect(refused).toMatchObject({ code: 'LOCK_TIMEOUT' });
});

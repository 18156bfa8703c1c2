import { collectLockMetrics } from 'nestjs-zk-lock/prometheus';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { lossOf, shortSession, TestLocks } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { scrape } from './support/scrape.js';
import { openPlace } from '../support/place.js';

it('counts losses, reconnects and sessions lost, and shows the state of each session', async () => {
  const registry = new Registry();
  const stop = collectLockMetrics({ registry });
  onTestFinished(stop);
  const proxy = await openProxy();
  const { root, remove } = await openPlace();
  const options = { servers: proxy.connectString, root, ...shortSession };
  const locks = new TestLocks(options, undefined, 'billing');
  onTestFinished(() => locks.close());
  await locks.start();
  const state = async (): Promise<string[]> =>
    (await scrape(registry)).filter((line) => /^zk_lock_session_state.* 1$/.test(line));
  expect(await state()).toEqual([
    'zk_lock_session_state{connection="billing",state="connected"} 1',
  ]);
  // Prometheus does not see a rise from a missing counter to 1.
  expect(await scrape(registry)).toContain(
    'zk_lock_session_reconnects_total{connection="billing"} 0',
  );
  const lock = await locks.acquire('k', { pattern: 'k' });
  await remove();
  await lossOf(lock);
  await lock.release();
  await proxy.cut();
  await waitFor(
    async () =>
      (await scrape(registry)).includes('zk_lock_session_reconnects_total{connection="billing"} 1'),
    { what: 'the reconnect' },
  );
  await proxy.refuse();
  await proxy.cut();
  const lost = 'zk_lock_sessions_lost_total{connection="billing",reason="lease-expired"} 1';
  await waitFor(async () => (await scrape(registry)).includes(lost), { what: 'the lost session' });
  expect(await scrape(registry)).toContain(
    'zk_lock_lost_total{connection="billing",kind="lock",mode="write",pattern="k",reason="node-deleted"} 1',
  );
  await locks.close();
  expect(await state()).toEqual([]);
});

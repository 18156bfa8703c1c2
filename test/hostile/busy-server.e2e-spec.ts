import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

it('a cohort does not pass on a node on which a busy server has set no watch, and which another process deletes', async () => {
  const { root, locks, others, inspector } = await openBehindProxy({
    cohort: { maxTenureMs: 60_000 },
  });
  const lease = locks.session.connectedLease!;
  const client = await locks.session.read(lease, 'none', '/', (connected) =>
    Promise.resolve(connected),
  );
  const get = client.get.bind(client);
  let isBusy = false;
  let refused = 0;
  const spy = vi.spyOn(client, 'get').mockImplementation((path, options) => {
    if (!isBusy) return get(path, options);
    refused++;
    return Promise.reject(new ZooKeeperError(ReturnCode.throttledOp, 'get', path));
  });
  onTestFinished(() => spy.mockRestore());
  let key = '';
  let held!: Lock;
  // On a busy machine, the node may be read before the grant.
  for (let tries = 0; refused === 0; tries++) {
    isBusy = false;
    key = `k${tries}`;
    held = await locks.acquire(key);
    isBusy = true;
    await nextTurn();
  }
  const next = locks.acquire(key);
  // Until then, the answer to the creation says enough.
  const { news } = locks.session;
  const grantedAt = news.now;
  await waitFor(() => !news.isRecent(grantedAt), { what: 'the creation to be old news' });
  const [node] = await inspector.children(`${root}/${key}`);
  await inspector.delete(`${root}/${key}/${node}`);
  const other = await others.acquire(key);
  isBusy = false;
  await held.release();
  await other.release();
  await using later = await next;
  expect(later.fencingToken).toBeGreaterThan(other.fencingToken);
});

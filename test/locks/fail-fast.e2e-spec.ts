import { expect, it, onTestFinished } from 'vitest';
import { ZooKeeperUnavailableError } from '../../libs/zk-client/src/zk-lock-error.js';
import { freePort } from '../support/free-port.js';
import { cutOff, TestLocks, untilWaiting } from '../support/locks.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const LONG = { timeoutMs: Infinity };
const FAILED = 'has been disconnected for 300 ms or more';

const open = () => openBehindProxy({ sessionTimeoutMs: 20_000, failFastAfterMs: 300 });

/** The error of a call that has no limit of its own. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ZooKeeperUnavailableError);
  return error;
}

it('ends the waiting calls once the session has been suspended for that long, each with an error of its own', async () => {
  const { locks, others, proxy, queued } = await open();
  const holder = await others.acquire('k');
  const calls = [
    locks.acquire('k', LONG),
    locks.withLocks(['a', 'k'], LONG, () => undefined),
    locks.acquireUpgradable('k', LONG),
  ].map(failure);
  await untilWaiting(locks, 3);
  await cutOff(proxy, locks);
  const errors = await Promise.all(calls);
  for (const error of errors) expect(String(error)).toContain(FAILED);
  expect(new Set(errors).size).toBe(3);
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
  await proxy.accept();
  // The calls have left nothing.
  await queued(1);
  await holder.release();
});

it('refuses all calls at once from then on, until there is a connection', async () => {
  const { locks, proxy } = await open();
  const semaphore = locks.semaphore('permits', { permits: 1 });
  await using held = await locks.acquire('held');
  await cutOff(proxy, locks);
  await failure(locks.acquire('k', LONG));
  const refused = [
    locks.acquire('k', LONG),
    locks.tryAcquire('k'),
    semaphore.acquire(LONG),
    locks.inspect('k'),
    locks.revoke('k'),
  ];
  await Promise.all(refused.map(failure));
  expect(held.isHeld).toBe(true);
  await proxy.accept();
  await waitFor(() => locks.session.isConnected, { what: 'the session to be back' });
  await using lock = await locks.acquire('k');
  expect([lock.isHeld, held.isHeld]).toEqual([true, true]);
  await locks.inspect('k');
});

it('lets elections and releases wait for the connection', async () => {
  const { locks, others, proxy, queued } = await open();
  const lock = await locks.acquire('other');
  const leader = await others.acquire('k');
  const election = locks.election('k');
  const leading = election.whenLeader();
  await queued(2);
  await cutOff(proxy, locks);
  await failure(locks.acquire('x', LONG));
  const released = lock.release();
  await proxy.accept();
  await released;
  await leader.release();
  expect((await leading).isHeld).toBe(true);
  await (await others.acquire('other')).release();
});

it('counts from the start if there never was a connection', async () => {
  const servers = `127.0.0.1:${await freePort()}`;
  const locks = new TestLocks({ servers, failFastAfterMs: 300 });
  onTestFinished(() => locks.close());
  await locks.start({ wait: false });
  const error = await failure(locks.acquire('k', LONG));
  expect(String(error)).toContain(FAILED);
});

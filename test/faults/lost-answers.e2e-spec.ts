import { expect, it, vi } from 'vitest';
import { openBehindProxy } from '../support/place.js';

async function open() {
  const place = await openBehindProxy();
  // Creates the directory, so that the next create is that of a lock node.
  await place.locks.withLock('k', () => undefined);
  return place;
}

const LOSSES = [
  ['the answer', 'loseNextReply'],
  ['the request', 'loseNextRequest'],
] as const;

it.each(LOSSES)('acquires the lock exactly once if %s of the create is lost', async (_, lose) => {
  const { proxy, locks, queue } = await open();
  const loss = await proxy[lose]('create');
  await using lock = await locks.acquire('k');
  await loss.happened;
  expect(lock.isHeld).toBe(true);
  expect(await queue()).toHaveLength(1);
  expect(locks.counts).toEqual({ held: 1, waiting: 0 });
});

it('removes the node of an abandoned creation that a server executes late', async () => {
  const { proxy, locks, inspector, queued } = await open();
  const create = vi.spyOn(locks.session, 'create');
  const loss = await proxy.loseNextRequest('create');
  const lock = await locks.acquire('k');
  await loss.happened;
  const [lost, made] = create.mock.calls.map(([, path]) => path);
  // With the same name, the two nodes could not be distinguished.
  expect(made).not.toBe(lost);
  await inspector.create(`${lost!}0000009999`);
  await queued(1);
  lock.assertHeld();
  await lock.release();
  await using next = await locks.acquire('k');
  expect(next.isHeld).toBe(true);
});

it.each(LOSSES)('eventually releases the lock if %s of the delete is lost', async (_, lose) => {
  const { proxy, locks, queued } = await open();
  const lock = await locks.acquire('k');
  const loss = await proxy[lose]('delete');
  await lock.release();
  await loss.happened;
  await queued(0);
  await using next = await locks.acquire('k');
  expect(next.isHeld).toBe(true);
});

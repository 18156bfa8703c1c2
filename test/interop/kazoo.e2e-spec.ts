import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocks } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { testElections } from './support/election-stories.js';
import { testExclusiveLocks, testKilledHolders } from './support/exclusive-stories.js';
import type { ReadWritePair } from './support/pair.js';
import type { Partner } from './support/partner.js';
import { openLastingPlace } from '../support/place.js';
import { testReadWriteLocks } from './support/read-write-stories.js';
import { startKazoo } from './support/start.js';

let kazoo: Partner;
const dialect = 'kazoo';

beforeAll(async () => {
  kazoo = await startKazoo(sharedServer().connectString);
});
afterAll(() => kazoo.stop());

const pair: ReadWritePair = {
  dialect,
  writers: ['write', 'lock'],
  kinds: { read: 'read', write: 'write' },
  name: 'kazoo',
  start: startKazoo,
  openPlace: openLastingPlace,
  partner: () => kazoo,
};
testExclusiveLocks(pair);
testKilledHolders(pair);
testReadWriteLocks(pair);

describe('its Election', () => {
  testElections(pair);
});

it('lists our contenders among its own, in order, with their data', async () => {
  const { root, directory, queued } = await openLastingPlace();
  const locks = await openLocks({ root, dialect, application: 'billing' });
  const before = Date.now();
  const holder = await locks.acquire('k', { label: 'invoice 7' });
  const theirs = kazoo.acquire('write', directory);
  await queued(2);
  const reader = locks.acquire('k', { mode: 'read' });
  await queued(3);

  const all = (await kazoo.contenders('write', directory)) as string[];
  const [first, second, third] = all;
  expect(all).toHaveLength(3);
  expect(second).toBe('kazoo write');
  const common = { host: hostname(), pid: process.pid, application: 'billing' };
  const since = expect.any(String) as string;
  expect(JSON.parse(first!)).toEqual({ ...common, label: 'invoice 7', since });
  expect(JSON.parse(third!)).toEqual({ ...common, since });
  const asked = Date.parse((JSON.parse(first!) as { since: string }).since);
  expect(asked).toBeGreaterThanOrEqual(before);
  expect(asked).toBeLessThanOrEqual(Date.now());
  // kazoo's `Lock` ignores readers.
  expect(await kazoo.contenders('lock', directory)).toEqual([first, second]);

  for (const lock of [holder, theirs, reader]) await (await lock).release();
});

it('lets a Lock of kazoo in beside readers, as kazoo does beside its own: WriteLock waits', async () => {
  const { root, directory } = await openLastingPlace();
  const locks = await openLocks({ root, dialect });
  const reader = await locks.acquire('k', { mode: 'read' });

  const careless = await kazoo.tryAcquire('lock', directory);
  expect(careless).not.toBeNull();
  await careless!.release();
  expect(await kazoo.tryAcquire('write', directory)).toBeNull();

  await reader.release();
});

it('fails to take the same lock object of kazoo again after its directory has vanished', async () => {
  const { directory, inspector } = await openLastingPlace();
  const lock = await kazoo.acquire('write', directory);
  await lock.release();
  await inspector.delete(directory);
  await expect(lock.again()).rejects.toThrow('NoNodeError');

  const anew = await kazoo.acquire('write', directory);
  await anew.release();
});

it('its Semaphore refuses a number other than that of our directory of leases', async () => {
  const { root, directory } = await openLastingPlace();
  const locks = await openLocks({ root, dialect });
  await locks.semaphore('k', { permits: 4 }).withPermit(async () => {
    const semaphore = kazoo.tell('semaphore', `${directory}/leases`, '6');
    await expect(semaphore).rejects.toThrow('Inconsistent max leases: 4, expected: 6');
  });
});

import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocks } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { testElections } from './support/election-stories.js';
import { testExclusiveLocks, testKilledHolders } from './support/exclusive-stories.js';
import type { Pair, ReadWritePair } from './support/pair.js';
import type { Partner, PartnerLock } from './support/partner.js';
import { openPlace } from '../support/place.js';
import { testReadWriteLocks } from './support/read-write-stories.js';
import { startCurator } from './support/start.js';

let curator: Partner;

beforeAll(async () => {
  curator = await startCurator(sharedServer().connectString);
});
afterAll(() => curator.stop());

describe("Curator's InterProcessReadWriteLock", () => {
  const pair: ReadWritePair = {
    dialect: 'curator-rw',
    writers: ['write'],
    kinds: { read: 'read', write: 'write' },
    name: 'curator',
    start: startCurator,
    openPlace,
    partner: () => curator,
  };
  testExclusiveLocks(pair);
  testKilledHolders(pair);
  testReadWriteLocks(pair);

  it('lists our contenders among its own, in order', async () => {
    const { root, directory, queue, queued } = await openPlace();
    const locks = await openLocks({ root });
    const holder = await locks.acquire('k');
    const waiters = [];
    for (const ask of [
      () => curator.acquire('write', directory),
      () => locks.acquire('k', { mode: 'read' }),
      () => locks.acquire('k'),
      () => curator.acquire('read', directory),
    ]) {
      waiters.push(ask());
      await queued(waiters.length + 1);
    }

    const paths = (await queue()).map((name) => `${directory}/${name}`);
    const [first, theirWriter, reader, writer, theirReader] = paths;
    expect(await curator.contenders('write', directory)).toEqual([first, theirWriter, writer]);
    expect(await curator.contenders('read', directory)).toEqual([reader, theirReader]);

    await holder.release();
    for (const waiter of waiters) await (await waiter).release();
  });
});

describe("Curator's InterProcessMutex", () => {
  const pair: Pair = {
    dialect: 'curator-mutex',
    writers: ['mutex'],
    name: 'curator',
    start: startCurator,
    openPlace,
    partner: () => curator,
  };
  testExclusiveLocks(pair);
});

describe("Curator's LeaderSelector", () => {
  testElections({ dialect: 'curator-mutex', openPlace, partner: () => curator });
});

describe('revocation', () => {
  it('by Curator reaches our holder, which decides', async () => {
    const { root, directory, queue } = await openPlace();
    const locks = await openLocks({ root });
    const lock = await locks.acquire('k');
    const told = once(lock.revoked, 'abort');
    await curator.revoke(`${directory}/${(await queue())[0]!}`);
    await told;
    expect(await curator.tryAcquire('write', directory)).toBeNull();
    expect(lock.isHeld).toBe(true);
    await lock.release();
    await (await curator.acquire('write', directory)).release();
  });

  it.each([
    ['mutex', 'curator-mutex'],
    ['write', 'curator-rw'],
    ['read', 'curator-rw'],
  ] as const)('by us reaches the holder of a %s lock of Curator', async (kind, dialect) => {
    const { root, directory } = await openPlace();
    const locks = await openLocks({ root, dialect });
    const lock = await curator.acquire(kind, directory);
    expect(await lock.isRevoked()).toBe(false);
    expect(await locks.revoke('k')).toBe(1);
    await waitFor(() => lock.isRevoked(), { what: 'the request' });
    expect(await locks.tryAcquire('k')).toBeNull();
    await lock.release();
  });
});

describe('a reader that has been a writer', () => {
  it('of ours is a reader for Curator, and comes before its waiting writer', async () => {
    const { root, directory, queued } = await openPlace();
    const locks = await openLocks({ root });
    let writing: Promise<PartnerLock> | undefined;
    const reader = await locks.withLock('k', async () => {
      writing = curator.acquire('write', directory);
      await queued(2);
      return locks.acquire('k', { mode: 'read' });
    });
    expect(reader.isHeld).toBe(true);
    await queued(2);
    await reader.release();
    await (await writing!).release();
  });

  it('of Curator is a reader for us', async () => {
    const { root, directory } = await openPlace();
    const locks = await openLocks({ root });
    const theirs = await curator.downgraded(directory);
    expect(await locks.tryAcquire('k')).toBeNull();
    expect((await locks.inspect('k')).holders).toMatchObject([{ mode: 'read' }]);
    await (await locks.acquire('k', { mode: 'read' })).release();
    await theirs.release();
    await (await locks.acquire('k')).release();
  });
});

it('waits for a lock that is being upgraded, as reader and as writer', async () => {
  const { root, directory, queued } = await openPlace();
  const locks = await openLocks({ root });
  const lock = await locks.acquireUpgradable('k');
  const early = await curator.acquire('read', directory);
  const writer = curator.acquire('write', directory);
  await queued(3);
  const late = curator.acquire('read', directory);
  await queued(4);
  const upgrading = lock.upgrade();
  await queued(5);
  await early.release();

  const writing = await upgrading;
  expect(await curator.tryAcquire('read', directory)).toBeNull();
  await writing.release();
  expect(await curator.tryAcquire('write', directory)).toBeNull();
  await lock.release();
  await (await writer).release();
  await (await late).release();
});

import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocks } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { testExclusiveLocks } from './support/exclusive-stories.js';
import type { Pair, ReadWritePair } from './support/pair.js';
import type { Partner } from './support/partner.js';
import { openPlace } from './support/place.js';
import { testReadWriteLocks } from './support/read-write-stories.js';
import { compileCurator, curatorIn } from './support/start.js';

const classes = makeTempDir('curator-partner');
const start = curatorIn(classes);
let curator: Partner;

beforeAll(async () => {
  await compileCurator(classes);
  curator = await start(sharedServer().connectString);
});
afterAll(async () => {
  await curator.stop();
  removeTempDir(classes);
});

describe("Curator's InterProcessReadWriteLock", () => {
  const pair: ReadWritePair = {
    dialect: 'curator-rw',
    writers: ['write'],
    kinds: { read: 'read', write: 'write' },
    name: 'curator',
    start,
    partner: () => curator,
  };
  testExclusiveLocks(pair);
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
    start,
    partner: () => curator,
  };
  testExclusiveLocks(pair);

  it('lists our contenders among its own, in order', async () => {
    const { root, directory, queue, queued } = await openPlace();
    const locks = await openLocks({ root, dialect: 'curator-mutex' });
    const holder = await locks.acquire('k');
    const theirs = curator.acquire('mutex', directory);
    await queued(2);
    const ours = locks.acquire('k');
    await queued(3);

    const paths = (await queue()).map((name) => `${directory}/${name}`);
    expect(await curator.contenders('mutex', directory)).toEqual(paths);

    for (const lock of [holder, theirs, ours]) await (await lock).release();
  });
});

it('is not heeded when it asks us to give up a lock, and takes nothing from it', async () => {
  const { root, directory, inspector, queue } = await openPlace();
  const locks = await openLocks({ root });
  const lock = await locks.acquire('k');
  const node = `${directory}/${(await queue())[0]!}`;

  await curator.revoke(node);
  expect((await inspector.get(node)).data.toString()).toBe('__REVOKE__');
  expect(await curator.tryAcquire('write', directory)).toBeNull();
  expect(lock.isHeld).toBe(true);

  const lost = once(lock.signal, 'abort');
  await inspector.delete(node);
  await lost;
});

it('takes the same lock object of Curator again after its directory has vanished', async () => {
  const { directory, inspector } = await openPlace();
  for (const kind of ['write', 'mutex']) {
    const lock = await curator.acquire(kind, directory);
    await lock.release();
    await inspector.delete(directory);
    await lock.again();
    await lock.release();
  }
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openLocks, openWorker, ownRoot } from '../support/locks.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';

it('lets one of a hundred tasks of a process in at a time, in the order of their sequence', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const tokens: bigint[] = [];
  let inside = 0;
  let count = 0;

  await Promise.all(
    Array.from({ length: 100 }, () =>
      locks.withLock('counter', async (lock) => {
        expect(++inside).toBe(1);
        const before = count;
        tokens.push(lock.fencingToken);
        await sleep(1);
        count = before + 1;
        inside--;
      }),
    ),
  );

  expect(count).toBe(100);
  expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
  expect(new Set(tokens).size).toBe(100);
});

it('lets one of five processes with twenty tasks each in at a time', async () => {
  const root = ownRoot();
  const directory = makeTempDir('counter');
  onTestFinished(() => removeTempDir(directory));
  const file = join(directory, 'count');
  writeFileSync(file, '0');
  const workers = await Promise.all(Array.from({ length: 5 }, () => openWorker({ root })));

  await Promise.all(workers.map((worker) => worker.count('counter', file, 20)));

  expect(readFileSync(file, 'utf8')).toBe('100');
  const tokens = readFileSync(`${file}.tokens`, 'utf8').trim().split('\n').map(BigInt);
  expect(tokens).toHaveLength(100);
  expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
});

it('lets readers in together, and a writer alone', async () => {
  const root = ownRoot();
  const [first, second] = [await openLocks({ root }), await openLocks({ root })];
  const readers = await Promise.all([
    first.acquire('k', { mode: 'read' }),
    second.acquire('k', { mode: 'read' }),
  ]);
  expect(await first.tryAcquire('k')).toBeNull();
  await Promise.all(readers.map((reader) => reader.release()));

  await using writer = await first.acquire('k');
  expect(await second.tryAcquire('k', { mode: 'read' })).toBeNull();
  expect(await second.tryAcquire('k')).toBeNull();
  expect(writer.isHeld).toBe(true);
});

it('keeps keys apart, however they are written', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const keys = ['a', 'A', 'a/b', 'a%2Fb', '..', '.', 'Grüße', '🎟', 'x\n', ' ', 'x'.repeat(512)];
  const held = await Promise.all(keys.map((key) => locks.tryAcquire(key)));
  expect(held.map((lock) => lock?.key)).toEqual(keys);
  expect(locks.counts).toEqual({ held: keys.length, waiting: 0 });
  for (const lock of held) await lock?.release();
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
});

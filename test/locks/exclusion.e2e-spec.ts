import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { expectRising, openWorker, ownRoot } from '../support/locks.js';
import { openTwo } from '../support/place.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';

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
  expectRising(tokens);
});

it('lets readers in together, and a writer alone', async () => {
  const { locks, others } = await openTwo();
  const readers = await Promise.all(
    [locks, others].map((one) => one.acquire('k', { mode: 'read' })),
  );
  expect(await locks.tryAcquire('k')).toBeNull();
  for (const reader of readers) await reader.release();

  await using writer = await locks.acquire('k');
  expect(await others.tryAcquire('k', { mode: 'read' })).toBeNull();
  expect(await others.tryAcquire('k')).toBeNull();
  expect(writer.isHeld).toBe(true);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocks, openWorker } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { GuardedFile } from './support/guarded-file.js';
import type { Partner } from './support/partner.js';
import { openLastingPlace } from '../support/place.js';
import { startCurator, startKazoo } from './support/start.js';

const dialect = 'curator-mutex';
/** Contenders of each language, and how often each takes the lock. */
const THREADS = 5;
const TIMES = 3;
const partners: Partner[] = [];

beforeAll(async () => {
  const { connectString } = sharedServer();
  partners.push(await startCurator(connectString), await startKazoo(connectString));
});
afterAll(() => Promise.all(partners.map((partner) => partner.stop())));

/** Java's and Python's name for the lock that all three take. */
const takers = (): [Partner, string][] => [
  [partners[0]!, 'mutex'],
  [partners[1]!, 'curator-mutex'],
];

it('guards a file that Node, Java and Python write', async () => {
  const { root, directory, queued } = await openLastingPlace();
  const file = GuardedFile.create();
  const worker = await openWorker({ root, dialect });
  const starter = await openLocks({ root, dialect });
  // The first one begins only when all have asked.
  const gate = await starter.acquire('k');
  const ours = (async () => {
    for (let round = 0; round < TIMES; round++) await worker.count('k', file.path, THREADS);
  })();
  const theirs = takers().map(([partner, kind]) =>
    partner.increment(kind, directory, { file: file.path, threads: THREADS, times: TIMES }),
  );
  await queued(1 + 3 * THREADS);
  await gate.release();
  await Promise.all([ours, ...theirs]);

  expect(file.number).toBe(3 * THREADS * TIMES);
  // Not one after the other: all were in the queue before the first of them had its turn.
  for (const name of ['curator', 'kazoo']) {
    expect(file.amongFirst(3 * THREADS, name)).toBe(THREADS);
  }
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocks, openWorker } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { GuardedFile } from './support/guarded-file.js';
import type { Partner } from './support/partner.js';
import { openLastingPlace } from '../support/place.js';
import { startCurator, startKazoo } from './support/start.js';

const dialect = 'curator-mutex';
/** The number of contenders in each language, and how often each takes the lock. */
const THREADS = 5;
const TIMES = 3;
const partners: Partner[] = [];

beforeAll(async () => {
  const { connectString } = sharedServer();
  partners.push(await startCurator(connectString), await startKazoo(connectString));
});
afterAll(() => Promise.all(partners.map((partner) => partner.stop())));

/** The names that Java and Python use for the lock that all three take. */
const takers = (): [Partner, string][] => [
  [partners[0]!, 'mutex'],
  [partners[1]!, 'curator-mutex'],
];

it('guards a file that Node, Java and Python write', async () => {
  const { root, directory, queued } = await openLastingPlace();
  const file = GuardedFile.create();
  const worker = await openWorker({ root, dialect });
  const starter = await openLocks({ root, dialect });
  // No call begins before all have been queued.
  const gate = await starter.acquire('k');
  const ours = (async () => {
    for (let round = 0; round < TIMES; round++) await worker.tell('count', 'k', file.path, THREADS);
  })();
  const theirs = takers().map(([partner, kind]) =>
    partner.increment(kind, directory, { file: file.path, threads: THREADS, times: TIMES }),
  );
  await queued(1 + 3 * THREADS);
  await gate.release();
  await Promise.all([ours, ...theirs]);

  expect(file.number).toBe(3 * THREADS * TIMES);
  // All sides take turns: all contenders were in the queue before the first grant.
  for (const name of ['curator', 'kazoo']) {
    expect(file.amongFirst(3 * THREADS, name)).toBe(THREADS);
  }
});

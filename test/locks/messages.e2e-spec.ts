import { expect, it } from 'vitest';
import { untilWaiting } from '../support/locks.js';
import { openTwo } from '../support/place.js';

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it did not fail',
    (error: unknown) => (error as Error).message,
  );

it('a queue that one call fills says "1 call"', async () => {
  const { locks, others } = await openTwo({ maxWaiting: { perKey: 1 } });
  const held = await others.acquire('k');
  const waiting = locks.acquire('k');
  await untilWaiting(locks);
  expect(await messageOf(locks.acquire('k'))).toMatch(
    /^The write lock "k" was refused: 1 call of this process is already waiting for this key\. /,
  );
  await held.release();
  await (await waiting).release();
});

it('a call with a timeout says how long the lock was not free', async () => {
  const { locks, others } = await openTwo();
  const held = await others.acquire('k');
  expect(await messageOf(locks.acquire('k', { timeoutMs: 300 }))).toMatch(
    /^The write lock "k" was not free within 300 ms\. Try again later, or raise `timeoutMs`\. /,
  );
  expect(await messageOf(locks.acquire('k', { timeoutMs: 0 }))).toMatch(
    /^The write lock "k" was not free\. Try again later, or give a `timeoutMs`\. /,
  );
  await held.release();
});

import { expect, it } from 'vitest';
import { openLocks, refusedWithDeadlock, refusedWithHolders } from '../support/locks.js';
import { openTwo } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const EVERY_MS = 3_000;

it('a call made soon after the start of a run is not due, however long it waits for the run to end', async () => {
  const { root, inspector, locks, others } = await openTwo({ client: 'wire' });
  let tries = 0;
  /** Resolves with what the calls came to, if this machine was fast enough for them to be made in time. */
  const attempt = async () => {
    const key = `k${tries++}`;
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const startedAt = performance.now();
    let begun = Infinity;
    const first = locks.runAtMostEvery(key, EVERY_MS, async () => {
      begun = performance.now();
      await ended;
    });
    await waitFor(() => begun < Infinity, { what: 'the run to begin' });
    // The process that ran the job knows how long its record exists.
    const same = locks.runAtMostEvery(key, EVERY_MS, () => undefined);
    const other = others.runAtMostEvery(key, EVERY_MS, () => undefined);
    const queue = (): Promise<string[]> => inspector.childrenIfAny(`${root}/${key}`);
    await waitFor(async () => (await queue()).length === 3, { what: 'both calls to wait' });
    const areInTime = performance.now() - startedAt < EVERY_MS / 2;
    await waitFor(() => performance.now() - begun > EVERY_MS, { what: 'its time to pass' });
    end();
    const results = await Promise.all([first, same, other]);
    return areInTime && { key, results };
  };
  const { key, results } = await waitFor(attempt, { what: 'calls that are made in time' });
  expect(results.map(({ ran }) => ran)).toEqual([true, false, false]);
  expect(await locks.runAtMostEvery(key, EVERY_MS, () => 'due')).toMatchObject({ ran: true });
});

it('a job that was skipped after changes of the leader is shown with the time of its last run', async () => {
  const { root, inspector, locks, others } = await openTwo({ client: 'wire' });
  await locks.runAtMostEvery('k', 60_000, () => undefined);
  const ran = await locks.lastRun('k');
  const path = `${root}-runs/k`;
  for (const replica of [others, await openLocks({ root, client: 'wire' })]) {
    const { data } = await inspector.get(path);
    const record = JSON.parse(data.toString()) as { epoch: number };
    await inspector.set(path, JSON.stringify({ ...record, epoch: record.epoch - 1 }));
    const call = await replica.runAtMostEvery('k', 60_000, () => undefined);
    expect(call).toMatchObject({ ran: false, last: { since: ran?.since, until: ran?.until } });
    expect(await replica.lastRun('k')).toMatchObject({ since: ran?.since, outcome: 'done' });
  }
});

it('a last run is not shown in the future after a change from a leader whose clock was ahead', async () => {
  const { root, inspector, locks, others } = await openTwo({ client: 'wire' });
  await locks.runAtMostEvery('k', 60_000, () => undefined);
  const path = `${root}-runs/k`;
  const { data } = await inspector.get(path);
  const record = JSON.parse(data.toString()) as { askedAt: number; epoch: number };
  const ahead = { askedAt: record.askedAt + 86_400_000, epoch: record.epoch - 1 };
  await inspector.set(path, JSON.stringify({ ...record, ...ahead }));
  const call = await others.runAtMostEvery('k', 60_000, () => undefined);
  expect(call.ran).toBe(false);
  const { since, nextDue } = (await others.lastRun('k'))!;
  expect(since.getTime()).toBeLessThan(ahead.askedAt - 43_200_000);
  expect(nextDue.getTime() - since.getTime()).toBe(60_000);
});

it('a job whose record is hidden by an ACL is refused with the reason', async () => {
  const { root, inspector, locks } = await openTwo({ client: 'wire' });
  await locks.runAtMostEvery('k', 1, () => undefined);
  const path = `${root}-runs/k`;
  await inspector.restrictTo(path, 'other', 'secret');
  const refused = locks.runAtMostEvery('k', 1, () => 'due');
  await expect(refused).rejects.toMatchObject({ code: 'LOCK_ACCESS_DENIED', path });
});

it('a call that times out says who has the lock, even if that is its own caller', async () => {
  const { locks, others } = await openTwo({ client: 'wire' });
  const call = (): Promise<unknown> =>
    locks.runAtMostEvery('k', EVERY_MS, { timeoutMs: 2_000 }, () => undefined);
  const held = await others.acquire('k', { label: 'repair' });
  expect(await refusedWithHolders(call)).toMatchObject({
    holders: [{ holder: { label: 'repair' } }],
  });
  await held.release();
  const { deadlock } = await refusedWithDeadlock(() => locks.withLock('k', call));
  expect(deadlock).toMatchObject([{ holds: 'k', waitsFor: 'k' }]);
});

it('refuses a period that is not a number of milliseconds', async () => {
  const { locks } = await openTwo({ client: 'wire' });
  const refused = locks.runAtMostEvery('k', '1m' as unknown as number, () => undefined);
  await expect(refused).rejects.toThrow(
    "`everyMs` must be an integer from 1 to 1000000000000000 (milliseconds); got '1m'.",
  );
});

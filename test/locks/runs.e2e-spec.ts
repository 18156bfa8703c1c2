import { expect, it } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { type TestLocks } from '../support/locks.js';
import { openBehindProxy } from '../support/place.js';

const EVERY_MS = 60_000;

async function open(options: Partial<LocksOptions> = {}) {
  const wire = { client: 'wire', application: 'orders' } as const;
  const place = await openBehindProxy({ ...wire, ...options });
  const others = await place.open(wire);
  const record = `${place.root}-runs/k`;
  const read = async () =>
    JSON.parse((await place.inspector.get(record)).data.toString()) as Record<string, unknown>;
  /** As if the latest run had been so much earlier, by the same leader's clock. */
  const age = async (ms: number): Promise<void> => {
    const last = await read();
    await place.inspector.set(
      record,
      JSON.stringify({ ...last, guid: `${ms}`, askedAt: Number(last.askedAt) - ms }),
    );
  };
  return { ...place, others, record, read, age };
}

const run = (locks: TestLocks, work: (lock: Lock) => unknown = () => 'result') =>
  locks.runAtMostEvery('k', EVERY_MS, work);

it('runs once in the time over all processes, and says who ran', async () => {
  const { locks, others } = await open();
  expect(await locks.lastRun('k')).toBeUndefined();
  const ranAt = Date.now();
  const results = await Promise.all([run(locks), run(others), run(locks), run(others)]);
  expect(results.filter(({ ran }) => ran)).toEqual([{ ran: true, result: 'result' }]);
  const last = await others.lastRun('k');
  expect(last).toMatchObject({ pid: process.pid, outcome: 'done' });
  expect(Math.abs(Number(last?.since) - ranAt)).toBeLessThan(EVERY_MS);
  expect(Number(last?.until)).toBeGreaterThanOrEqual(Number(last?.since));
  for (const result of results) {
    if (!result.ran) expect(result.last).toMatchObject({ pid: process.pid });
  }
});

it('runs again once the time has passed, less a tenth of it', async () => {
  const { locks, others, age } = await open();
  await run(locks);
  await age(EVERY_MS * 0.8);
  expect(await run(others)).toMatchObject({ ran: false });
  await age(EVERY_MS * 0.2);
  expect(await run(others)).toMatchObject({ ran: true });
  expect(await run(locks)).toMatchObject({ ran: false });
});

it('counts a run that failed, or whose process died', async () => {
  const { locks, others, read } = await open();
  const failing = run(locks, () => {
    throw new Error('of the job');
  });
  await expect(failing).rejects.toThrow('of the job');
  expect(await others.lastRun('k')).toMatchObject({ outcome: 'failed' });
  expect(await run(others)).toMatchObject({ ran: false });
  expect(await read()).toMatchObject({ outcome: 'failed', application: 'orders' });
});

it('refuses what is no time', async () => {
  const { locks } = await open();
  for (const everyMs of [0, -1, 1.5, Number.NaN, '60' as never]) {
    await expect(locks.runAtMostEvery('k', everyMs, () => 1)).rejects.toThrow(/`atMostEveryMs`/);
  }
});

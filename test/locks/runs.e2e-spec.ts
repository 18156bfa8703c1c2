import { expect, it } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { LockLostError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { lossOf, type TestLocks } from '../support/locks.js';
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

it('takes the lock that its own process keeps by a single try', async () => {
  const { locks } = await open({ cohort: { keepMs: 60_000 } });
  const kept = await locks.acquire('k');
  await kept.release();
  const once = { timeoutMs: 0 };
  expect(await locks.runAtMostEvery('k', EVERY_MS, once, () => 'result')).toEqual({
    ran: true,
    result: 'result',
  });
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

it('goes by the present leader’s clock where that shows the latest run in the future', async () => {
  const { locks, others, age, read } = await open();
  await run(locks);
  const { askedAt } = await read();
  await age(-3_600_000);
  expect(await run(others)).toMatchObject({ ran: false });
  const moved = Number((await read()).askedAt);
  expect(Math.abs(moved - Number(askedAt))).toBeLessThan(EVERY_MS / 2);
  await age(EVERY_MS);
  expect(await run(others)).toMatchObject({ ran: true });
});

it('is found out where the answer to the record’s writing is lost', async () => {
  const { locks, others, proxy } = await open();
  const loss = await proxy.loseNextReply('multi');
  const running = run(locks);
  await loss.happened;
  expect(await running).toEqual({ ran: true, result: 'result' });
  expect(await run(others)).toMatchObject({ ran: false });
});

it('runs on a node of its own, also where calls share or keep nodes', async () => {
  const { locks, others, queue } = await open({ cohort: { keepMs: 60_000 } });
  await (await locks.acquire('k')).release();
  const [kept] = await queue();
  let during: string[] = [];
  const result = await run(locks, async () => (during = await queue()));
  expect(result).toMatchObject({ ran: true });
  expect(during).toHaveLength(1);
  expect(during).not.toContain(kept);
  expect(await run(others)).toMatchObject({ ran: false });
});

it('tells a runner of the loss of its lock, and the run counts', async () => {
  const { locks, others, remove } = await open();
  const running = run(locks, async ({ signal }) => {
    await remove();
    await lossOf({ signal });
  });
  await expect(running).rejects.toThrow(LockLostError);
  expect(await locks.lastRun('k')).toMatchObject({ outcome: 'running', until: undefined });
  expect(await run(others)).toMatchObject({ ran: false });
});

it('refuses what is no time', async () => {
  const { locks } = await open();
  for (const everyMs of [0, -1, 1.5, Number.NaN, '60' as never]) {
    await expect(locks.runAtMostEvery('k', everyMs, () => 1)).rejects.toThrow(/`atMostEveryMs`/);
  }
});

import { expect, it } from 'vitest';
import { amendData } from '../../libs/zk-locks/src/nodes/holder-data.js';
import { lossOf } from '../support/locks.js';
import { openTwo } from '../support/place.js';

const OPERATOR = { host: 'console', pid: 7, at: '2026-01-01T00:00:00.000Z' };

it.each([
  { kind: 'a lock', options: {} },
  { kind: 'the lock of a cohort', options: { cohort: {} } },
])('$kind with marginMs that is broken stays until its work has stopped', async ({ options }) => {
  const { locks, others, inspector, directory, queue } = await openTwo({
    marginMs: 500,
    ...options,
  });
  const lock = await locks.acquire('k');
  const waiting = others.acquire('k');
  const [node] = await queue();
  const path = `${directory}/${node!}`;
  const { data } = await inspector.get(path);
  await inspector.set(path, amendData(data, { brokenBy: OPERATOR }));
  expect(await lossOf(lock)).toMatchObject({ reason: 'broken', brokenBy: OPERATOR });
  // A deletion sent at the time of the loss would have been answered by now.
  await locks.inspect('k', { linearizable: true });
  expect(await queue()).toContain(node);
  await lock.release();
  await (await waiting).release();
  expect(await queue()).toEqual([]);
});

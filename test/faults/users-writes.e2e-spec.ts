import { expect, it } from 'vitest';
import { isAmbiguous } from '../../libs/zk-client/src/port/client-errors.js';
import { ownNode } from '../support/own-node.js';
import { openBehindProxy } from '../support/place.js';

/** The number of calls that succeeded. The errors of the others must be expected. */
async function successes(
  calls: readonly Promise<unknown>[],
  isExpected: (error: unknown) => boolean,
): Promise<number> {
  const results = await Promise.allSettled(calls);
  for (const result of results) {
    if (result.status === 'rejected' && !isExpected(result.reason)) throw result.reason;
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}

it('a counter equals the number of successful writes, although requests and answers are lost', async () => {
  const { locks, others, proxy } = await openBehindProxy();
  const counter = await ownNode();
  const [near, far] = [others.client, locks.client];
  await near.set(counter, '0');
  let counted = 0;
  for (let round = 0; round < 3; round++) {
    const { data, stat } = await near.get(counter);
    const next = String(Number(data.toString()) + 1);
    await proxy.refuse();
    const loss = await proxy.loseNextRequest('setData');
    const { version } = stat;
    const late = far.set(counter, next, { version });
    await loss.happened;
    counted += await successes([near.set(counter, next, { version })], isAmbiguous);
    await proxy.accept();
    counted += await successes([late], isAmbiguous);
  }
  const { data } = await near.get(counter);
  expect(Number(data.toString())).toBe(counted);
});

it.each(['loseNextReply', 'loseNextRequest'] as const)(
  'at most one of several concurrent creations of the same ephemeral znode succeeds (%s)',
  async (lose) => {
    const { locks, proxy } = await openBehindProxy();
    const path = `${await ownNode()}/e`;
    const create = (data: string): Promise<string> =>
      locks.client.create(path, data, { mode: 'ephemeral' });
    const loss = await proxy[lose]('create');
    const calls = ['a', 'b', 'c'].map(create);
    await loss.happened;
    const isExpected = (error: unknown): boolean =>
      isAmbiguous(error) || (error as { code?: string }).code === 'ZK_NODE_EXISTS';
    expect(await successes(calls, isExpected)).toBeLessThanOrEqual(1);
  },
);

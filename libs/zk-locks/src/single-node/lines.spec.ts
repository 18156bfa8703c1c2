import { expect, it } from 'vitest';
import { Wait } from '../../../zk-client/src/session/wait.js';
import { Lines } from './lines.js';

function newWait(): Wait {
  const error = (): Error => new Error('over');
  return new Wait({ timeoutMs: Infinity, answerWithinMs: 0, onTimeout: error, onAbort: error });
}

it('lets one in at a time, in order, skipping calls that gave up, even if the work fails', async () => {
  const lines = new Lines();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const waits = Array.from({ length: 4 }, newWait);
  const calls = waits.map((wait, index) =>
    lines.inTurn('k', wait, async () => {
      begun.push(index);
      await new Promise<void>((resolve) => (ends[index] = resolve));
      if (index === 0) throw new Error('failed');
    }),
  );
  const settled = Promise.allSettled(calls);
  expect(begun).toEqual([0]);
  waits[1]!.stop(new Error('over'));
  await expect(calls[1]).rejects.toThrow('over');
  ends[0]!();
  await expect(calls[0]).rejects.toThrow('failed');
  await expect.poll(() => begun).toEqual([0, 2]);
  ends[2]!();
  await expect.poll(() => begun).toEqual([0, 2, 3]);
  ends[3]!();
  await settled;
  await lines.inTurn('k', newWait(), () => Promise.resolve());
});

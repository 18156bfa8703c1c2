import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ZkClosedError } from '../zk-lock-error.js';
import { Wait } from '../session/wait.js';
import { Traffic } from './traffic.js';

const MIB = 1_048_576;

/** Asks for a place of each size, and tells who has one. */
async function enterAll(traffic: Traffic, sizes: readonly number[]): Promise<number[]> {
  const inside: number[] = [];
  for (const [index, bytes] of sizes.entries()) {
    void traffic.enter(bytes).then(() => inside.push(index));
  }
  await nextTurn();
  return inside;
}

it('lets in 16 at a time, in their order', async () => {
  const traffic = new Traffic();
  const inside = await enterAll(traffic, Array<number>(20).fill(1));
  expect(inside).toEqual(Array.from({ length: 16 }, (_, index) => index));
  expect(traffic.waiting).toBe(4);
  for (const next of [16, 17, 18, 19]) {
    traffic.leave(1);
    await nextTurn();
    expect(inside.at(-1)).toBe(next);
  }
});

it('lets in 1 MiB at a time, and a larger one alone', async () => {
  const traffic = new Traffic();
  const inside = await enterAll(traffic, [MIB - 1, 1, 1, 2 * MIB, 1]);
  expect(inside).toEqual([0, 1]);
  traffic.leave(1);
  await nextTurn();
  expect(inside).toEqual([0, 1, 2]);
  traffic.leave(MIB - 1);
  traffic.leave(1);
  await nextTurn();
  expect(inside).toEqual([0, 1, 2, 3]);
  traffic.leave(2 * MIB);
  await nextTurn();
  expect(inside).toEqual([0, 1, 2, 3, 4]);
});

it('lets no call in ahead of one that has just got its slot', async () => {
  const traffic = new Traffic();
  await traffic.enter(MIB);
  const entered: string[] = [];
  const enter = (name: string): void => void traffic.enter(1).then(() => entered.push(name));
  enter('waiting');
  traffic.leave(MIB);
  enter('new');
  await nextTurn();
  expect(entered).toEqual(['waiting', 'new']);
});

it('frees the slot of a call that has stopped waiting for it', async () => {
  const traffic = new Traffic();
  await traffic.enter(MIB);
  using wait = new Wait({
    ...{ timeoutMs: Infinity, answerWithinMs: 1 },
    onTimeout: () => new Error('never'),
    onAbort: () => new Error('never'),
  });
  const refused = [traffic.enter(1, wait), traffic.enter(2, wait)];
  const next = enterAll(traffic, [3]);
  wait.stop(new ZkClosedError());
  for (const one of refused) await expect(one).rejects.toThrow(ZkClosedError);
  expect(traffic.waiting).toBe(1);
  traffic.leave(MIB);
  await nextTurn();
  expect(await next).toEqual([0]);
  expect(traffic.waiting).toBe(0);
});

it('expects answers as long as the latest ones, and gradually forgets long ones', async () => {
  const traffic = new Traffic();
  const expected = async (): Promise<number> => {
    const bytes = await traffic.enter(0, undefined, true);
    traffic.leave(bytes);
    return bytes;
  };
  const first = await expected();
  traffic.answered(MIB);
  expect(await expected()).toBe(MIB);
  for (let answers = 0; answers < 20; answers++) traffic.answered(100);
  expect(await expected()).toBeLessThan(first);
  expect(await expected()).toBeGreaterThanOrEqual(100);
});

it('lets in calls that have waited by the length of the answers that came meanwhile', async () => {
  const traffic = new Traffic();
  const inside: number[] = [];
  for (let call = 0; call < 30; call++) {
    void traffic.enter(0, undefined, true).then((bytes) => inside.push(bytes));
  }
  await nextTurn();
  for (const bytes of inside.splice(0)) {
    traffic.answered(MIB);
    traffic.leave(bytes);
  }
  await nextTurn();
  expect(inside).toEqual([MIB]);
});

import { setFlagsFromString } from 'node:v8';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { KnownQueue } from '../../libs/zk-locks/src/queue/known-queue.js';
import { Wait } from '../../libs/zk-locks/src/queue/wait.js';
import { World } from './key-queue-world.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const { append } = KnownQueue.prototype;
afterEach(() => void (KnownQueue.prototype.append = append));

/**
 * A world of writers, and the number of places that are still in memory of all that were ever
 * known.
 */
function open() {
  const places: WeakRef<object>[] = [];
  // Not a spy: a spy would keep its arguments in memory.
  KnownQueue.prototype.append = function (node) {
    const place = append.call(this, node);
    places.push(new WeakRef(place));
    return place;
  };
  const world = new World(false);
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 6; i++) {
      world.steps.allIsAnswered!(0);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    }
  };
  const alive = async (): Promise<number> => {
    for (let i = 0; i < 3; i++) {
      await settle();
      collectGarbage();
    }
    return places.filter((place) => place.deref()).length;
  };
  const ask = async (): Promise<void> => {
    world.steps.weAsk!(1);
    await settle();
  };
  return { world, settle, ask, places, alive };
}

it('keeps no place of a served call, while others always wait', async () => {
  const { world, settle, ask, places, alive } = open();
  for (let i = 0; i < 3; i++) await ask();
  for (let i = 0; i < 200; i++) {
    await ask();
    const held = world.calls.findIndex(({ holding }) => holding);
    void world.calls[held]?.holding?.release();
    world.calls.splice(held, 1);
    await settle();
  }
  expect(places.length).toBeGreaterThan(200);
  expect(await alive()).toBeLessThan(20);
  world.stop();
});

it('keeps few places of calls that gave up behind a node that stays', async () => {
  const { world, settle, ask, places, alive } = open();
  await ask();
  for (let i = 0; i < 700; i++) {
    await ask();
    world.steps.weGiveUp!(0);
    world.calls.length = 1;
    await settle();
  }
  expect(world.server.nodes).toHaveLength(1);
  expect(places.length).toBeGreaterThan(700);
  expect(await alive()).toBeLessThan(400);
  world.stop();
});

it('keeps few places of calls that gave up behind a call of ours that waits for long', async () => {
  const { world, settle, ask } = open();
  const contenders: WeakRef<object>[] = [];
  const { enter } = Wait.prototype;
  Wait.prototype.enter = function (step) {
    contenders.push(new WeakRef(step));
    enter.call(this, step);
  };
  try {
    world.steps.othersQueueUp!(1);
    await ask();
    for (let i = 0; i < 1_000; i++) {
      world.steps.othersQueueUp!(1);
      await ask();
      world.steps.weGiveUp!(1);
      world.calls.length = 1;
      world.steps.othersLeave!(1);
      await settle();
    }
  } finally {
    Wait.prototype.enter = enter;
  }
  expect(world.server.nodes).toHaveLength(2);
  collectGarbage();
  expect(contenders.length).toBeGreaterThan(1_000);
  expect(contenders.filter((contender) => contender.deref()).length).toBeLessThan(400);
  world.stop();
});

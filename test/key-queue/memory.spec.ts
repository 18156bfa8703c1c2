import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { KeyQueues } from '../../libs/zk-locks/src/queue/key-queues.js';
import { Contender } from '../../libs/zk-locks/src/queue/contender.js';
import { OwnNode } from '../../libs/zk-locks/src/queue/own-node.js';
import { Wait } from '../../libs/zk-client/src/session/wait.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { World } from './key-queue-world.js';
import { ModelSession } from './model-session.js';

const { enter } = Wait.prototype;
const { watch } = ModelSession.prototype;
const { of } = KeyQueues.prototype;

afterEach(() => {
  Wait.prototype.enter = enter;
  ModelSession.prototype.watch = watch;
  KeyQueues.prototype.of = of;
});

/** Tracks created objects without retaining them. Spies would retain their arguments. */
function track() {
  const made = { contenders: [], nodes: [], waits: [], queues: [] } as Record<
    'contenders' | 'nodes' | 'waits' | 'queues',
    WeakRef<object>[]
  >;
  Wait.prototype.enter = function (step) {
    if (step instanceof Contender) {
      made.contenders.push(new WeakRef(step));
      made.waits.push(new WeakRef(this));
    }
    enter.call(this, step);
  };
  ModelSession.prototype.watch = function (path, listener) {
    if (listener instanceof OwnNode) made.nodes.push(new WeakRef(listener));
    watch.call(this, path, listener);
  };
  KeyQueues.prototype.of = function (...place) {
    const queue = of.apply(this, place);
    made.queues.push(new WeakRef(queue));
    return queue;
  };
  return made;
}

/** Opens a world of writers, and counts how many of the objects that it created are in memory. */
function open() {
  const made = track();
  const world = new World(false);
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 6; i++) {
      world.steps.allIsAnswered!(0);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    }
  };
  const ask = async (): Promise<void> => {
    world.steps.weAsk!(1);
    await settle();
  };
  /** Releases the lock, and removes the holder from the world. */
  const release = async (): Promise<void> => {
    const held = world.calls.findIndex(({ holding }) => holding);
    void world.calls[held]?.holding?.release();
    world.calls.splice(held, 1);
    await settle();
  };
  const alive = async () => {
    for (let i = 0; i < 3; i++) {
      await settle();
      collectGarbage();
    }
    const count = (refs: WeakRef<object>[]): number =>
      new Set(refs.map((ref) => ref.deref()).filter(Boolean)).size;
    const { contenders, nodes, waits, queues } = made;
    return {
      contenders: count(contenders),
      nodes: count(nodes),
      waits: count(waits),
      queues: count(queues),
    };
  };
  return { world, made, settle, ask, release, alive };
}

const FEW = 10;

it('retains no memory for served calls while others are always waiting', async () => {
  const { world, made, ask, release, alive } = open();
  for (let i = 0; i < 3; i++) await ask();
  for (let i = 0; i < 200; i++) {
    await ask();
    await release();
  }
  expect(made.contenders.length).toBeGreaterThan(200);
  expect(made.nodes.length).toBeGreaterThan(200);
  const { contenders, nodes, waits, queues } = await alive();
  expect(Math.max(contenders, nodes, waits)).toBeLessThan(FEW);
  expect(queues).toBe(1);
  world.stop();
});

it.each([
  ['another process holds', 'othersQueueUp'],
  ['we hold', 'weAsk'],
])('retains little memory for calls that gave up behind a remaining node: %s', async (_, first) => {
  const { world, made, settle, ask, alive } = open();
  world.steps[first]!(1);
  await settle();
  const kept = world.calls.length;
  for (let i = 0; i < 300; i++) {
    await ask();
    world.steps.weGiveUp!(0);
    world.calls.length = kept;
    await settle();
  }
  expect(world.server.nodes).toHaveLength(1);
  expect(made.contenders.length).toBeGreaterThan(299);
  const { contenders, nodes, waits, queues } = await alive();
  expect(Math.max(contenders, nodes, waits)).toBeLessThan(FEW);
  expect(queues).toBeLessThan(2);
  world.stop();
});

it('retains little memory for calls that gave up behind a call of ours that waits for long', async () => {
  const { world, made, settle, ask, alive } = open();
  world.steps.othersQueueUp!(1);
  await ask();
  for (let i = 0; i < 300; i++) {
    world.steps.othersQueueUp!(1);
    await ask();
    world.steps.weGiveUp!(1);
    world.calls.length = 1;
    world.steps.othersLeave!(1);
    await settle();
  }
  expect(world.server.nodes).toHaveLength(2);
  expect(made.contenders.length).toBeGreaterThan(300);
  const { contenders, nodes, waits } = await alive();
  expect(Math.max(contenders, nodes, waits)).toBeLessThan(FEW);
  expect(world.server.watchedPaths).toBeLessThan(FEW);
  world.stop();
});

it('keeps neither the call nor the wait of a held lock, nor the nodes of others', async () => {
  const { world, made, ask, alive } = open();
  await ask();
  expect(made.waits.length).toBe(1);
  expect(await alive()).toEqual({ contenders: 1, nodes: 1, waits: 0, queues: 1 });
  world.stop();
});

it('keeps nothing in memory when no call is active', async () => {
  const { world, made, settle, ask, release, alive } = open();
  for (let i = 0; i < 50; i++) await ask();
  for (let i = 0; i < 25; i++) {
    world.steps.weGiveUp!(i);
    await settle();
  }
  for (let i = 0; i < 25; i++) await release();
  world.calls.length = 0;
  expect(world.server.nodes).toHaveLength(0);
  expect(made.contenders.length).toBeGreaterThan(49);
  expect(await alive()).toEqual({ contenders: 0, nodes: 0, waits: 0, queues: 0 });
  expect(world.server.watchedPaths).toBe(0);
  world.stop();
});

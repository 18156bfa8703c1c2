import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { silentLogger } from '../../libs/zk-client/src/logger.js';
import type { Session } from '../../libs/zk-client/src/session/session.js';
import { LockAccessError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { SessionLease } from '../../libs/zk-client/src/session/session-lease.js';
import { dialectOf } from '../../libs/zk-locks/src/nodes/dialect.js';
import { Directories } from '../../libs/zk-locks/src/queue/directories.js';
import { KeyQueue } from '../../libs/zk-locks/src/queue/key-queue.js';
import type { QueueContext } from '../../libs/zk-locks/src/queue/lock-node.js';
import { isBusy } from '../../libs/zk-locks/src/queue/single-try.js';
import { longestTurnOf, onThisMachine } from '../support/loop-meter.js';
import { World } from './key-queue-world.js';
import { MODEL_CLIENTS } from './model-requests.js';

type Step = [step: string, pick?: number];

async function play(world: World, ...story: readonly Step[]): Promise<void> {
  for (const [step, pick = 0] of story) {
    world.steps[step]!(pick);
    for (let i = 0; i < 3; i++) await nextTurn();
  }
}

/** Answers everything that was sent and, three times more, what is sent in response. */
const ANSWERED: readonly Step[] = Array<Step>(4).fill(['allIsAnswered']);

async function expectToRest(world: World): Promise<void> {
  await world.rest(() => nextTurn());
  expect(world.broken).toEqual([]);
  world.stop();
}

it.each(MODEL_CLIENTS)(
  'a call whose creation got no answer keeps its place, even if the next server lags behind (%s)',
  async (client) => {
    const world = new World(false, client);
    await play(world, ['othersQueueUp', 1], ['weAsk', 1]);
    await play(world, ...ANSWERED);
    await play(world, ['weAsk', 1], ['serverExecutes', 1]);
    const names = world.server.nodes.map(({ name }) => name);
    expect(names).toHaveLength(3);
    await play(world, ['connectionIsLost'], ['connectionIsBack']);
    for (let i = 0; i < 8; i++) await play(world, ['serverExecutes', 1], ['weHear', 1]);
    await play(world, ...ANSWERED);
    expect(world.server.nodes.map(({ name }) => name)).toEqual(names);
    await expectToRest(world);
  },
);

it('a call that does not wait sets no watch if it queues behind another process that its first list did not show', async () => {
  const world = new World(false);
  const reads = vi.spyOn(world.server, 'get');
  await play(world, ['weTryToWrite'], ['allIsAnswered'], ['othersQueueUp', 1]);
  await play(world, ...ANSWERED);
  expect(world.calls[0]?.error).toBeDefined();
  expect(world.server.nodes).toHaveLength(1);
  expect(reads.mock.calls.filter(([, , options]) => options?.watch)).toEqual([]);
  world.stop();
});

it('a call behind another process watches its own node only if it waits for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const world = new World(false);
  const reads = vi.spyOn(world.server, 'get');
  await play(world, ['othersQueueUp', 1], ['weAsk', 1]);
  await play(world, ...ANSWERED);
  const watched = (): (string | undefined)[] =>
    reads.mock.calls.map(([, path]) => path.split('/').at(-1));
  const [theirs, ours] = world.server.nodes.map(({ name }) => name);
  expect(watched()).toEqual([theirs]);
  vi.advanceTimersByTime(400);
  await play(world, ...ANSWERED);
  expect(watched()).toEqual([theirs, ours]);
  world.stop();
});

it('a call behind a lost but unreleased lock is granted its lock when that lock’s node is deleted', async () => {
  const world = new World(false);
  await play(world, ['weAsk', 1]);
  await play(world, ...ANSWERED);
  await play(world, ['weAsk', 1]);
  await play(world, ...ANSWERED);
  const [holder, waiter] = world.calls;
  holder?.holding?.lose('broken');
  world.server.remove(world.server.nodes[0]?.name ?? '');
  await play(world, ...ANSWERED);
  expect(waiter?.holding).toBeDefined();
  await expectToRest(world);
});

it('a call behind one of its own process that gives up is granted its lock, even if a busy server deletes that node after a later list', async () => {
  const world = new World(false);
  await play(world, ['othersQueueUp', 1], ['weAsk', 1]);
  await play(world, ...ANSWERED);
  await play(world, ['weAsk', 1]);
  await play(world, ...ANSWERED);
  world.server.throttled = 1;
  await play(world, ['weGiveUp', 0], ['weAsk', 1], ['serverExecutes', 9], ['serverExecutes', 9]);
  await play(world, ...ANSWERED);
  expect(world.server.throttled).toBe(0);
  await play(world, ['othersLeave']);
  await play(world, ...ANSWERED);
  expect(world.calls[1]?.holding).toBeDefined();
  await expectToRest(world);
});

it('a call is refused if the only node before it may not be read', async () => {
  const world = new World(false);
  await play(world, ['othersQueueUp', 1], ['othersQueueUp', 1]);
  const [first] = world.server.nodes;
  const get = world.server.get.bind(world.server);
  vi.spyOn(world.server, 'get').mockImplementation((lease, path, options) =>
    path.endsWith(first!.name)
      ? Promise.reject(new ZooKeeperError(ReturnCode.noAuth, 'get', path))
      : get(lease, path, options),
  );
  await play(world, ['weAsk', 1]);
  await play(world, ...ANSWERED);
  expect(world.calls[0]?.error).toBeUndefined();
  await play(world, ['othersLeave', 1]);
  await play(world, ...ANSWERED);
  expect(world.calls[0]?.error).toBeInstanceOf(LockAccessError);
  world.stop();
});

it('when the node before a writer is deleted, only the first of the readers behind the writer lists the queue', async () => {
  const world = new World(true);
  await play(world, ['othersQueueUp', 1], ['othersQueueUp', 1], ['othersQueueUp', 0]);
  await play(world, ['weAskForReading']);
  await play(world, ...ANSWERED);
  const lists = vi.spyOn(world.server, 'list');
  await play(world, ['othersLeave']);
  await play(world, ...ANSWERED);
  expect(lists).not.toHaveBeenCalled();
  await play(world, ['othersLeave']);
  await play(world, ...ANSWERED);
  expect(world.calls[0]?.holding).toBeDefined();
  await expectToRest(world);
});

it('a writer waits for another process if its own readers are released while it is being told of them', async () => {
  const world = new World(true);
  await play(world, ['othersQueueUp'], ['weAskForReading'], ['weAskForReading']);
  await play(world, ...ANSWERED);
  expect(world.grants).toBe(2);
  await play(world, ['weReleaseWhenBlocked'], ['weAsk', 1]);
  await play(world, ...ANSWERED);
  expect(world.grants).toBe(2);
  await play(world, ['holderLeaves']);
  await play(world, ...ANSWERED);
  expect(world.grants).toBe(3);
  await expectToRest(world);
});

it('a call that is granted when the lease turns out to be over leaves no listener of the calls behind it', async () => {
  const world = new World(true);
  const { server } = world;
  await play(world, ['othersQueueUp', 1], ['weAskForReading'], ...ANSWERED);
  await play(world, ['othersQueueUp', 1], ['weAsk', 1], ...ANSWERED);
  vi.spyOn(server.lease, 'isValid').mockImplementationOnce(() => {
    server.endLease();
    return false;
  });
  await play(world, ['othersLeave']);
  await play(world, ...ANSWERED);
  expect(world.grants).toBe(0);
  await expectToRest(world);
});

it('a queue of 100,000 nodes does not block the event loop of a program that asks whether it is busy', async () => {
  const names = Array.from(
    { length: 100_000 },
    (_, index) =>
      `_c_${randomUUID()}-__WRIT__${String((index * 7_919) % 100_000).padStart(10, '0')}`,
  );
  const session = { list: () => Promise.resolve(names) } as unknown as Session;
  const context = { directories: new Directories(session, silentLogger, '/') };
  const view = { directory: '/k', dialect: dialectOf('curator-rw'), mode: 'write' } as const;
  const ask = () => isBusy(context as QueueContext, view, {} as SessionLease);
  const mostMs = onThisMachine(50);
  expect(await longestTurnOf(ask, mostMs)).toBeLessThan(mostMs);
}, 60_000);

it('a queue of 100,000 nodes does not block the event loop of a program that queues up behind it', async () => {
  const world = new World(true);
  await play(world, ['othersQueueUp', 1]);
  for (let index = 0; index < 100_000; index++) {
    const sequence = 1_000 + ((index * 7_919) % 100_000);
    const name = `_c_${randomUUID()}-__WRIT__${String(sequence).padStart(10, '0')}`;
    world.server.nodes.push({ name, sequence, czxid: 1n, isOurs: false, hasHolderData: false });
  }
  const listed = vi.spyOn(KeyQueue.prototype, 'onListed');
  onTestFinished(() => listed.mockRestore());
  const queueUp = async (): Promise<void> => {
    listed.mockClear();
    await play(world, ['weAsk', 1]);
    while (listed.mock.calls.length === 0) await play(world, ['allIsAnswered']);
  };
  const mostMs = onThisMachine(50);
  expect(await longestTurnOf(queueUp, mostMs)).toBeLessThan(mostMs);
  world.stop();
}, 60_000);

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { type KeptTurn, KeptTurns } from '../../libs/zk-locks/src/cohort/kept-turns.js';
import { Queue } from './model-queue.js';
import { ModelSession } from './model-session.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function open() {
  const queue = new Queue();
  const session = new ModelSession(queue);
  const dialect = { sequenceText: (name: string) => name };
  const kept = new KeptTurns(session, dialect, 100, 3);
  const givenBack: string[] = [];
  const newTurn = (name: string): KeptTurn => {
    const giveBack = (): void => {
      kept.take(turn);
      givenBack.push(name);
    };
    const turn: KeptTurn = { keptSince: 0, giveBack };
    return turn;
  };
  return { queue, session, kept, givenBack, newTurn };
}

describe('kept turns', () => {
  it('are given back after their time, each counted from its last release, by one timer', () => {
    const { kept, givenBack, newTurn } = open();
    const [a, b] = [newTurn('a'), newTurn('b')];
    kept.keep(a);
    vi.advanceTimersByTime(60);
    kept.keep(b);
    kept.take(a);
    kept.keep(a);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(60);
    expect(givenBack).toEqual([]);
    vi.advanceTimersByTime(40);
    expect(givenBack).toEqual(['b', 'a']);
    expect(kept.isEmpty).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('make room for another one by releasing the oldest', () => {
    const { kept, givenBack, newTurn } = open();
    for (const name of ['a', 'b', 'c', 'd']) kept.keep(newTurn(name));
    expect(givenBack).toEqual(['a']);
  });

  it('are all released when they are closed, and no other one is kept', () => {
    const { kept, givenBack, newTurn } = open();
    for (const name of ['a', 'b']) kept.keep(newTurn(name));
    kept.close();
    expect(givenBack).toEqual(['a', 'b']);
    expect(kept.keep(newTurn('c'))).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('lets the event loop turn between many grants without a request', async () => {
  const { kept } = open();
  const pauses = Array.from({ length: 300 }, () => kept.pause());
  expect(pauses.findIndex((pause) => pause !== undefined)).toBe(256);
  let hasTurned = false;
  setImmediate(() => (hasTurned = true));
  await pauses.at(-1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasTurned).toBe(true);
  expect(kept.pause()).toBeUndefined();
});

describe('the other contenders of a node', () => {
  function watchOthers() {
    const { queue, session, kept } = open();
    const own = queue.enter('write', true, () => undefined);
    const onPresent = vi.fn();
    const { lease } = session;
    const others = kept.watchOthers({ lease, path: `/k/${own.name}` }, onPresent);
    const hear = async (): Promise<void> => {
      session.serverWorks();
      session.newsArrive();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { queue, session, own, others, onPresent, hear };
  }

  it('are absent from the answer to a list until another one comes', async () => {
    const { queue, others, onPresent, hear } = watchOthers();
    expect(others.areAbsent).toBe(false);
    await hear();
    expect(others.areAbsent).toBe(true);
    const other = queue.enter('read', false, () => undefined);
    await hear();
    queue.leave(other);
    await hear();
    expect([others.areAbsent, others.arePresent]).toEqual([false, true]);
    expect(onPresent).toHaveBeenCalledOnce();
  });

  it('count as present if the own node is missing', async () => {
    const { queue, own, others, hear } = watchOthers();
    queue.leave(own);
    await hear();
    expect(others.arePresent).toBe(true);
  });

  it('count as present if the directory may not be listed', async () => {
    const { session, others, hear } = watchOthers();
    await hear();
    session.disconnect();
    const refused = new ZooKeeperError(ReturnCode.noAuth, 'list', '/k');
    vi.spyOn(session, 'list').mockRejectedValue(refused);
    session.reconnect();
    await hear();
    expect(others.arePresent).toBe(true);
  });

  it('are unknown while the connection is lost and until the next list, like the own node', async () => {
    const { session, others, hear } = watchOthers();
    const known = (): boolean[] => [others.areAbsent, others.isOwnCertain];
    expect(known()).toEqual([false, true]);
    await hear();
    expect(known()).toEqual([true, true]);
    session.disconnect();
    expect(known()).toEqual([false, false]);
    session.reconnect(() => expect(known()).toEqual([false, false]));
    expect(known()).toEqual([false, false]);
    await hear();
    expect(known()).toEqual([true, true]);
  });
});

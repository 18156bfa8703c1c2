import type { SessionLease } from 'zk-client/recipes';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../../zk-client/src/port/client-errors.js';
import { type KeptSession, type KeptTurn, KeptTurns } from './kept-turns.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const lease = {} as SessionLease;

function open(list: () => Promise<string[]> = () => Promise.resolve([])) {
  const session = {
    ...{ connectedLease: lease, list, watch: () => undefined, unwatch: () => undefined },
    onState: () => () => undefined,
  } satisfies KeptSession;
  const kept = new KeptTurns(session, { sequenceText: (name) => name }, 100, 3);
  const givenBack: string[] = [];
  const newTurn = (name: string): KeptTurn => {
    const giveBack = (): void => {
      kept.take(turn);
      givenBack.push(name);
    };
    const turn: KeptTurn = { keptSince: 0, giveBack };
    return turn;
  };
  return { kept, givenBack, newTurn };
}

describe('kept turns', () => {
  it('are released when their time is over, each counted from its last release, by one timer', () => {
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
    expect([kept.isEmpty, vi.getTimerCount()]).toEqual([true, 0]);
  });

  it('make room for another one by releasing the oldest, and are all released when they are closed', () => {
    const { kept, givenBack, newTurn } = open();
    for (const name of ['a', 'b', 'c', 'd']) kept.keep(newTurn(name));
    expect(givenBack).toEqual(['a']);
    kept.close();
    expect(givenBack).toEqual(['a', 'b', 'c', 'd']);
    expect(kept.keep(newTurn('e'))).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('let the event loop run between many grants without a request', async () => {
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
});

describe('the other contenders of a node', () => {
  const refused = new ZooKeeperError(ReturnCode.noAuth, 'list', '/k');

  it.each<[string, () => Promise<string[]>, string]>([
    ['are absent where the own node is alone', async () => ['own'], 'absent'],
    ['are present beside it', async () => ['own', 'other'], 'present'],
    ['count as present if the own node is missing', async () => [], 'present'],
    [
      'count as present if the directory may not be listed',
      () => Promise.reject(refused),
      'present',
    ],
  ])('%s', async (_what, list, expected) => {
    const onPresent = vi.fn();
    const listing = vi.fn(list);
    const others = open(listing).kept.watchOthers({ lease, path: '/k/own' }, onPresent);
    expect([others.areAbsent, others.arePresent]).toEqual([false, false]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([others.areAbsent, others.arePresent]).toEqual([
      expected === 'absent',
      expected === 'present',
    ]);
    others.onNodeEvent('gap');
    expect(listing).toHaveBeenCalledTimes(2);
    others.onNodeEvent('children');
    expect(others.arePresent).toBe(true);
    expect(onPresent).toHaveBeenCalledOnce();
  });
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../client/client-errors.js';
import { NodeWatches, type NodeListener } from '../session/node-watches.js';
import type { Session } from '../session/session.js';
import type { LeaseListener, SessionLease } from '../session/session-lease.js';
import { nodeEvent } from './node-event.js';
import type { NodeKeeper, OwnNode } from './own-node.js';
import { type Step, Wait } from './wait.js';

const PATH = '/k/blocker';
const failure = (code: number): ZooKeeperError => new ZooKeeperError(code, 'get', PATH);

/** A session that answers nothing by itself; `own` stands in the queue as well. */
function open() {
  const watches = new NodeWatches();
  const leaseListeners = new Set<LeaseListener>();
  const steps = new Set<Step>();
  const over: { lease: boolean } = { lease: false };
  const lease = {
    listen: (listener: LeaseListener) => {
      if (over.lease) listener.onLeaseEnd('session-expired');
      else leaseListeners.add(listener);
    },
    unlisten: (listener: LeaseListener) => leaseListeners.delete(listener),
  };
  const endLease = (): void => {
    over.lease = true;
    for (const listener of [...leaseListeners]) listener.onLeaseEnd('session-expired');
  };
  const setWatch = vi.fn(() => new Promise<void>(() => undefined));
  const session = {
    setWatch,
    watch: (path: string, listener: NodeListener) => watches.add(path, listener),
    unwatch: (path: string, listener: NodeListener) => watches.remove(path, listener),
  };
  const wait = new Wait({
    timeoutMs: Infinity,
    answerWithinMs: 1_000,
    onTimeout: () => new Error('timeout'),
    signal: undefined,
    onAbort: () => new Error('aborted'),
  });
  const [enter, leave] = [wait.enter.bind(wait), wait.leave.bind(wait)];
  vi.spyOn(wait, 'enter').mockImplementation((step) => {
    steps.add(step);
    enter(step);
  });
  vi.spyOn(wait, 'leave').mockImplementation((step) => {
    steps.delete(step);
    leave(step);
  });
  const kept: { keeper?: NodeKeeper } = {};
  const own = {
    keepFor: vi.fn((keeper: NodeKeeper): void => void (kept.keeper = keeper)),
    confirm: vi.fn(() => new Promise<bigint | undefined>(() => undefined)),
  };
  const onGone = vi.fn();
  const begin = (): Promise<void> =>
    nodeEvent(session as unknown as Session, lease as unknown as SessionLease, PATH, wait, {
      own: own as unknown as OwnNode,
      onGone,
    });
  const left = (): number[] => [watches.size, leaseListeners.size, steps.size];
  return { watches, endLease, setWatch, wait, kept, own, onGone, begin, left };
}

type Place = ReturnType<typeof open>;

it.each<[string, (place: Place) => void]>([
  ['the node is deleted', ({ watches }) => watches.fire(PATH, 'deleted')],
  ['the node changes', ({ watches }) => watches.fire(PATH, 'changed')],
  ['its own node is lost', ({ kept }) => kept.keeper?.onLost('node-deleted')],
])('resolves when %s, and leaves no listener behind', async (_what, happen) => {
  const place = open();
  const event = place.begin();
  expect(place.left()).toEqual([1, 1, 1]);
  happen(place);
  expect(place.left()).toEqual([0, 0, 0]);
  await event;
  // What comes late is nothing to it any more.
  place.endLease();
  place.wait.stop(new Error('late'));
  place.kept.keeper?.onLost('node-deleted');
});

it('tells of a deletion in the turn in which it is told, and of nothing else', async () => {
  const { watches, begin, onGone } = open();
  const events = [begin(), begin()];
  watches.fire(PATH, 'deleted');
  expect(onGone).toHaveBeenCalledTimes(2);
  events.push(begin());
  watches.fire(PATH, 'changed');
  await Promise.all(events);
  expect(onGone).toHaveBeenCalledTimes(2);
});

it.each<[string, (place: Place) => void]>([
  ['the node', ({ setWatch }) => setWatch.mockRejectedValue(failure(ReturnCode.noNode))],
  ['its own node', ({ own }) => own.confirm.mockResolvedValue(undefined)],
  [
    'its own node, as is known by now,',
    ({ own }) => own.keepFor.mockImplementation((keeper) => keeper.onLost('node-deleted')),
  ],
])('resolves where %s was gone before the watch was set', async (_what, prepare) => {
  const place = open();
  prepare(place);
  await place.begin();
  expect(place.left()).toEqual([0, 0, 0]);
});

it('sets the watch again after a gap, and waits on where the connection is lost meanwhile', async () => {
  const { watches, setWatch, begin, left } = open();
  setWatch.mockRejectedValueOnce(failure(ReturnCode.connectionLoss));
  const event = begin();
  await nextTurn();
  expect(left()).toEqual([1, 1, 1]);
  setWatch.mockRejectedValueOnce(failure(ReturnCode.noNode));
  watches.fireGap();
  await event;
  expect(setWatch).toHaveBeenCalledTimes(2);
  expect(left()).toEqual([0, 0, 0]);
});

it.each<[string, string, (place: Place) => void]>([
  ['the wait ends', 'stopped', ({ wait }) => wait.stop(new Error('stopped'))],
  ['the session ends', 'SessionOverError', ({ endLease }) => endLease()],
])('rejects when %s, be it before it begins, and leaves no listener', async (_, error, happen) => {
  const [during, before] = [open(), open()];
  const event = during.begin();
  happen(during);
  expect(during.left()).toEqual([0, 0, 0]);
  expect(String(await event.catch(String))).toContain(error);
  happen(before);
  expect(String(await before.begin().catch(String))).toContain(error);
  expect(before.left()).toEqual([0, 0, 0]);
  expect(before.setWatch).not.toHaveBeenCalled();
  expect(before.own.keepFor).not.toHaveBeenCalled();
});

it('rejects with the error of the wait where the session is over as well', async () => {
  const { wait, endLease, begin, left } = open();
  endLease();
  wait.stop(new Error('stopped'));
  await expect(begin()).rejects.toThrow('stopped');
  expect(left()).toEqual([0, 0, 0]);
});

it.each<[string, (place: Place) => void]>([
  ['the node', ({ setWatch }) => setWatch.mockRejectedValue(failure(ReturnCode.noAuth))],
  ['its own node', ({ own }) => own.confirm.mockRejectedValue(failure(ReturnCode.noAuth))],
])('rejects where the server refuses to show %s', async (_what, prepare) => {
  const place = open();
  prepare(place);
  await expect(place.begin()).rejects.toMatchObject({ returnCode: ReturnCode.noAuth });
  expect(place.left()).toEqual([0, 0, 0]);
});

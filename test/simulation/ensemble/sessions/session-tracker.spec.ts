import { ErrorCode } from 'zk-protocol';
import { beforeEach, expect, it } from 'vitest';
import { SessionTracker } from './session-tracker.js';

const TICK_MS = 100;
let now: number;
let tracker: SessionTracker;

beforeEach(() => {
  now = 1_010;
  tracker = new SessionTracker(TICK_MS, () => now);
});

function advanceTo(time: number): bigint[] {
  now = time;
  const ended: bigint[] = [];
  for (let ids = tracker.takeTick(); ids; ids = tracker.takeTick()) ended.push(...ids);
  return ended;
}

it.each([
  { timeoutMs: 89, endsAt: 1_100 },
  { timeoutMs: 90, endsAt: 1_200 },
  { timeoutMs: 189, endsAt: 1_200 },
  { timeoutMs: 200, endsAt: 1_300 },
])('a session of $timeoutMs ms ends at $endsAt', ({ timeoutMs, endsAt }) => {
  tracker.track(1n, timeoutMs);
  expect(tracker.expiresAt(1n)).toBe(endsAt);
  expect(advanceTo(endsAt - 1)).toEqual([]);
  expect(advanceTo(endsAt)).toEqual([1n]);
});

it('a session that is heard moves to a later tick, or an earlier one', () => {
  tracker.track(1n, 200);
  tracker.track(2n, 200);
  now = 1_050;
  expect(tracker.touch(1n, 300)).toBe(true);
  expect(tracker.touch(2n, 60)).toBe(true);
  expect(advanceTo(1_200)).toEqual([2n]);
  expect(advanceTo(1_400)).toEqual([1n]);
});

it('a session that is about to end cannot be kept, and its requests are refused', () => {
  tracker.track(1n, 50);
  expect(tracker.check(1n, 'a')).toBeUndefined();
  expect(advanceTo(1_100)).toEqual([1n]);
  expect(tracker.touch(1n, 1_000)).toBe(false);
  expect(tracker.check(1n, 'a')).toBe(ErrorCode.sessionExpired);
  tracker.remove(1n);
  expect(tracker.touch(1n, 1_000)).toBe(false);
});

it('the first server that asks owns a session, until it moves', () => {
  tracker.track(1n, 1_000);
  expect(tracker.check(1n, 'a')).toBeUndefined();
  expect(tracker.check(1n, 'b')).toBe(ErrorCode.sessionMoved);
  tracker.setOwner(1n, 'b');
  expect(tracker.check(1n, 'a')).toBe(ErrorCode.sessionMoved);
  expect(tracker.check(1n, 'b')).toBeUndefined();
});

it('after a stall, all ticks that were missed come at once', () => {
  tracker.track(1n, 50);
  tracker.track(2n, 350);
  expect(advanceTo(5_000)).toEqual([1n, 2n]);
  expect(tracker.waitMs).toBe(100);
});

it('a session certainly lives for one timeout behind the last news, and no longer once it is closing', () => {
  tracker.track(1n, 200);
  now = 1_060;
  expect(tracker.msLeft(1n)).toBe(150);
  tracker.touch(1n, 300);
  expect(tracker.msLeft(1n)).toBe(300);
  tracker.setClosing(1n);
  expect(tracker.msLeft(1n)).toBe(0);
  expect(tracker.msLeft(2n)).toBe(0);
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TreeClock } from './tree-clock.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const node = (ms: number) => ({ ctime: new Date(ms), mtime: new Date(ms) });

it('is that of this process as long as no node says otherwise', () => {
  const clock = new TreeClock();
  clock.note(node(400_000));
  vi.advanceTimersByTime(5_000);
  expect(clock.now()).toBe(1_005_000);
});

it("is ahead of this process if a node is newer than this process's clock", () => {
  const clock = new TreeClock();
  clock.note(node(1_060_000));
  vi.advanceTimersByTime(5_000);
  expect(clock.now()).toBe(1_065_000);
  clock.forget();
  expect(clock.now()).toBe(1_005_000);
});

it('is behind this process once a change that was reported as it happened shows it', () => {
  const clock = new TreeClock();
  vi.advanceTimersByTime(50);
  clock.note(node(400_000), performance.now() - 50);
  expect(clock.now()).toBe(400_050);
  clock.forget();
  expect(clock.now()).toBe(1_000_050);
});

it('is not behind just because a change was reported late', () => {
  const clock = new TreeClock();
  clock.note(node(999_500), performance.now());
  expect(clock.now()).toBe(1_000_000);
});

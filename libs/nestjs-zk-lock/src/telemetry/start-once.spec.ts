import { expect, it, vi } from 'vitest';
import { StartOnce } from './start-once.js';

it('starts once for all who want it, and stops with the last of them', () => {
  const once = new StartOnce();
  const stop = vi.fn();
  const start = vi.fn(() => stop);
  const target = {};
  const [first, second] = [once.start(target, start), once.start(target, start)];
  expect(start).toHaveBeenCalledTimes(1);
  first();
  first();
  expect(stop).not.toHaveBeenCalled();
  second();
  expect(stop).toHaveBeenCalledTimes(1);
  once.start(target, start);
  expect(start).toHaveBeenCalledTimes(2);
});

it('starts for each target by itself', () => {
  const once = new StartOnce();
  const start = vi.fn(() => () => undefined);
  once.start({}, start);
  once.start({}, start);
  expect(start).toHaveBeenCalledTimes(2);
});

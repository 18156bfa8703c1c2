import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refresher } from './refresher.js';

interface Run {
  readonly signal: AbortSignal;
  end(hasSucceeded?: boolean): void;
}

describe('a refresher', () => {
  let runs: Run[];
  let refresher: Refresher;

  beforeEach(() => {
    vi.useFakeTimers();
    runs = [];
    const work = (signal: AbortSignal): Promise<boolean> =>
      new Promise((resolve) =>
        runs.push({ signal, end: (hasSucceeded = true) => resolve(hasSucceeded) }),
      );
    refresher = new Refresher(work, 250);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const endLast = async (): Promise<void> => {
    runs.at(-1)?.end();
    await vi.advanceTimersByTimeAsync(0);
  };

  it('never runs twice at once: requests during a run are served by one more run', async () => {
    refresher.ask();
    await vi.advanceTimersByTimeAsync(0);
    for (let asked = 0; asked < 5; asked++) refresher.ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toHaveLength(1);
    await endLast();
    expect(runs).toHaveLength(2);
    await endLast();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toHaveLength(2);
  });

  it('starts at most four times a second, however often it is asked', async () => {
    for (let ms = 0; ms < 990; ms += 10) {
      refresher.ask();
      await vi.advanceTimersByTimeAsync(10);
      await endLast();
    }
    expect(runs).toHaveLength(4);
  });

  it('ends a run for what the user wants now', async () => {
    refresher.ask();
    await vi.advanceTimersByTimeAsync(0);
    refresher.askNow();
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    runs[0]?.end();
    refresher.ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toHaveLength(2);
  });

  it('tries again two seconds after a failure, once', async () => {
    refresher.ask();
    await vi.advanceTimersByTimeAsync(0);
    runs[0]?.end(false);
    await vi.advanceTimersByTimeAsync(1_990);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(300);
    expect(runs).toHaveLength(2);
    await endLast();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(runs).toHaveLength(2);
  });
});

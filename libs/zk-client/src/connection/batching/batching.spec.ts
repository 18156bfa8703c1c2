import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameLimits } from './batching.js';

describe('limits of frames', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are halved with each batch that is cut off, and stay so', () => {
    const limits = new FrameLimits();
    limits.cut(100_000, true);
    expect(limits.mostBytes).toBe(50_000);
    limits.cut(50_000, true);
    limits.answered(25_000);
    limits.answered(1_000_000);
    expect(limits.mostBytes).toBe(25_000);
  });

  it('are halved for reads whose answer is too long', () => {
    const limits = new FrameLimits();
    limits.tooLong(64);
    limits.tooLong(32);
    limits.tooLong(3);
    expect(limits.mostReads).toBe(2);
  });

  it('refuse a single request that was cut off three times, and longer ones, for a minute', () => {
    const limits = new FrameLimits();
    limits.cut(5_000, false);
    limits.cut(5_000, false);
    expect(limits.refusal(5_000)).toBeUndefined();
    limits.cut(5_000, false);
    expect(limits.refusal(4_999)).toBeUndefined();
    expect(limits.refusal(6_000)?.message).toMatch(/6000 bytes.*3 times.*5000.*jute\.maxbuffer/);
    vi.advanceTimersByTime(60_000);
    expect(limits.refusal(5_000)).toBeUndefined();
    limits.cut(5_000, false);
    expect(limits.refusal(5_000)?.message).toContain('4 times');
    expect(limits.mostBytes).toBe(Infinity);
  });
});

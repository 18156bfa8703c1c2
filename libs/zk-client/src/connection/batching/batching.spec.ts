import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameLimits } from './batching.js';

describe('limits of frames', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are halved with each batch that is cut off, and doubled after a minute', () => {
    const limits = new FrameLimits();
    limits.cut(100_000, true);
    expect(limits.mostBytes).toBe(50_000);
    limits.cut(50_000, true);
    limits.answered(25_000);
    expect(limits.mostBytes).toBe(25_000);
    vi.advanceTimersByTime(60_000);
    expect(limits.mostBytes).toBe(50_000);
    expect(limits.mostBytes).toBe(50_000);
  });

  it('last twice as long each time a longer batch fails again', () => {
    const limits = new FrameLimits();
    limits.cut(100_000, true);
    vi.advanceTimersByTime(60_000);
    expect(limits.mostBytes).toBe(100_000);
    limits.cut(90_000, true);
    vi.advanceTimersByTime(119_999);
    expect(limits.mostBytes).toBe(45_000);
    vi.advanceTimersByTime(1);
    expect(limits.mostBytes).toBe(90_000);
  });

  it('end as soon as a frame is answered that is as long as one that was cut off', () => {
    const limits = new FrameLimits();
    limits.cut(100_000, true);
    limits.answered(99_999);
    expect(limits.mostBytes).toBe(50_000);
    limits.answered(100_000);
    expect(limits.mostBytes).toBe(Infinity);
  });

  it('are not set by a batch that every server accepts', () => {
    const limits = new FrameLimits();
    limits.cut(1_000, true);
    expect(limits.mostBytes).toBe(Infinity);
  });

  it('separate reads whose answer was too long, for twice as long each time', () => {
    const limits = new FrameLimits();
    for (const lastsMs of [60_000, 120_000]) {
      expect(limits.mostReads).toBe(Infinity);
      limits.tooLong();
      // The answers to other connections are also on their way.
      limits.tooLong();
      vi.advanceTimersByTime(lastsMs - 1);
      expect(limits.mostReads).toBe(1);
      vi.advanceTimersByTime(1);
    }
    expect(limits.mostReads).toBe(Infinity);
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

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveChanges } from './live-changes.js';

const streams: FakeStream[] = [];

class FakeStream {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;

  readyState = 0;
  onopen: (() => void) | undefined;
  onerror: (() => void) | undefined;

  constructor() {
    streams.push(this);
  }
}

describe('a page whose stream ends', () => {
  let changes: number;
  let stream: FakeStream;

  beforeEach(() => {
    streams.length = 0;
    vi.useFakeTimers();
    vi.stubGlobal('EventSource', FakeStream);
    vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined });
    changes = 0;
    const live = new LiveChanges(new URL('http://localhost/changes'), {
      changed: () => changes++,
      linkChanged: () => undefined,
    });
    live.followVisibility();
    stream = streams[0]!;
    stream.readyState = FakeStream.OPEN;
    stream.onopen?.();
    changes = 0;
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  const fail = (readyState: number): void => {
    stream.readyState = readyState;
    stream.onerror?.();
  };

  it('polls every two seconds from then on, and opens another stream if it was refused', () => {
    fail(FakeStream.CLOSED);
    expect(changes).toBe(1);
    vi.advanceTimersByTime(2_000);
    expect(changes).toBe(2);
    expect(streams).toHaveLength(2);
  });

  it('fetches at each failed attempt to reconnect, even if these come faster than the polls', () => {
    for (let attempt = 0; attempt < 5; attempt++) {
      fail(0);
      vi.advanceTimersByTime(1_000);
    }
    expect(changes).toBe(5);
    vi.advanceTimersByTime(1_000);
    expect(changes).toBe(6);
  });
});

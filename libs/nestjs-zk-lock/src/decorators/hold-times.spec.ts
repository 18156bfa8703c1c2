import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Lock, LockHoldTimeoutError, LockLostError, LockReleasedError } from 'zk-locks';
import { holdAtLeast, holdAtMost, type LockedWork } from './hold-times.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** As much of a lock as is asked here. */
class FakeLock {
  readonly key = 'job';
  readonly mode = 'write';
  isReleased = false;
  /** As after a jump of the wall clock. */
  isUncertain = false;
  readonly #loss = new AbortController();
  #tellCertain = (): void => undefined;

  get isHeld(): boolean {
    return !this.isReleased && !this.isUncertain && !this.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  assertHeld(): void {
    if (this.isReleased) throw new LockReleasedError('job', 'write');
    if (!this.isHeld) throw new LockLostError('job', 'write', 'lease-expired');
  }

  async whenCertain(): Promise<void> {
    if (this.isUncertain) await new Promise<void>((resolve) => (this.#tellCertain = resolve));
  }

  becomeCertain(): void {
    this.isUncertain = false;
    this.#tellCertain();
  }

  lose(): void {
    this.#loss.abort(new LockLostError('job', 'write', 'node-deleted'));
  }

  readonly hold = async <T>(work: LockedWork<T>): Promise<T> => {
    const lock = this as unknown as Lock;
    try {
      return await work(lock, [lock]);
    } finally {
      this.isReleased = true;
    }
  };
}

describe('a lock that is held for at least 100 ms', () => {
  let lock: FakeLock;
  let closing: AbortController;

  beforeEach(() => {
    lock = new FakeLock();
    closing = new AbortController();
  });

  const hold = <T>(work: () => Promise<T>): Promise<T> =>
    holdAtLeast({ minHoldMs: 100, closing: closing.signal }, lock.hold, work);
  const takes = async (ms: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, ms));
  };

  it('is released 100 ms after its grant, however early the work finished', async () => {
    const call = hold(() => takes(30));
    await vi.advanceTimersByTimeAsync(30);
    await call;
    await vi.advanceTimersByTimeAsync(69);
    expect(lock.isReleased).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(lock.isReleased).toBe(true);
  });

  it('is kept while the clock cannot tell whether it is held, and the call returns after its release', async () => {
    lock.isUncertain = true;
    const call = hold(() => takes(30)).then(() => lock.isReleased);
    await vi.advanceTimersByTimeAsync(99);
    expect(lock.isReleased).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await call).toBe(true);
  });

  it('is kept after the call has returned, which it does once it is certain that the lock is held', async () => {
    lock.isUncertain = true;
    const beganAt = performance.now();
    const call = hold(() => takes(30)).then(() => performance.now() - beganAt);
    await vi.advanceTimersByTimeAsync(50);
    lock.becomeCertain();
    await vi.advanceTimersByTimeAsync(49);
    expect(lock.isReleased).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(lock.isReleased).toBe(true);
    expect(await call).toBe(50);
  });

  it('is not kept by a call whose work has already released it', async () => {
    const call = hold(async () => {
      await takes(30);
      lock.isReleased = true;
    });
    await vi.advanceTimersByTimeAsync(30);
    await call;
  });

  it('is released before the call returns if the work took longer', async () => {
    const call = hold(() => takes(150)).then(() => lock.isReleased);
    await vi.advanceTimersByTimeAsync(150);
    expect(await call).toBe(true);
  });

  it.each([
    ['lost', () => lock.lose()],
    ['in the way of closing', () => closing.abort()],
  ])('is released at once when it is %s, without a timer', async (_what, end) => {
    await hold(() => Promise.resolve());
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(lock.isReleased).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a lock that is held for at most 100 ms', () => {
  let lock: FakeLock;
  beforeEach(() => (lock = new FakeLock()));

  const hold = <T>(work: (lock: Lock) => Promise<T>): Promise<T> =>
    lock.hold((held, all) => holdAtMost({ maxHoldMs: 100, lock: held, all }, work));
  const aborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

  it.each<[string, (signal: AbortSignal) => unknown, new (...args: never[]) => Error]>([
    ['the reason itself', ({ reason }) => reason as unknown, LockHoldTimeoutError],
    ['an error for it', ({ reason }) => new Error('', { cause: reason }), LockHoldTimeoutError],
    [
      'an error of another realm for it, as Node does under Jest',
      ({ reason }) =>
        runInNewContext("new Error('', { cause })", { cause: reason as unknown }) as unknown,
      LockHoldTimeoutError,
    ],
    ['another error', () => new RangeError('', { cause: 'another' }), RangeError],
  ])('tells by its signal, and rejects, when the work throws %s', async (_what, toThrow, error) => {
    const call = hold(async ({ signal }) => {
      await aborted(signal);
      throw toThrow(signal);
    });
    const rejection = expect(call).rejects.toThrow(error);
    await vi.advanceTimersByTimeAsync(99);
    expect(lock.isReleased).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await rejection;
    expect(lock.isReleased).toBe(true);
  });
});

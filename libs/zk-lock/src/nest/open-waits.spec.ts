import { getMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { LockAbortedError, LockServiceClosedError } from '../locks/lock-errors.js';
import { OpenWaits } from './open-waits.js';

/** A wait that ends when its signal aborts, as a lock manager's does. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = (): void => {
      reject(new LockAbortedError('key', 'write', signal.reason));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  });

describe('open waits', () => {
  it('follow the caller’s signal, aborted before or while they wait', async () => {
    const waits = new OpenWaits();
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = waits.during(controller.signal, untilAborted);
    controller.abort(reason);
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: reason });
    const late = waits.during(controller.signal, untilAborted);
    await expect(late).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: reason });
  });

  it('leave nothing on the caller’s signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    signal.addEventListener = () => listeners++;
    signal.removeEventListener = () => listeners--;
    await new OpenWaits().during(signal, async () => {
      expect(listeners).toBe(1);
      return Promise.resolve();
    });
    expect(listeners).toBe(0);
  });

  it('hand on a signal that any number may follow', async () => {
    await new OpenWaits().during(undefined, (signal) => {
      expect(getMaxListeners(signal)).toBe(Infinity);
      return Promise.resolve();
    });
  });

  it('are rejected by a shutdown, each with an error of its own', async () => {
    const waits = new OpenWaits();
    const waiting = [1, 2].map(() => waits.during(undefined, untilAborted));
    waits.endAll(1_000);
    const errors = await Promise.all(waiting.map((wait) => wait.catch((error: unknown) => error)));
    expect(errors).toEqual([
      expect.any(LockServiceClosedError),
      expect.any(LockServiceClosedError),
    ]);
    expect(errors[0]).not.toBe(errors[1]);
  });

  it('may begin after that, and then last no longer than they are given', async () => {
    const waits = new OpenWaits();
    waits.endAll(10);
    await expect(waits.during(undefined, () => Promise.resolve('held'))).resolves.toBe('held');
    await expect(waits.during(undefined, untilAborted)).rejects.toThrow(LockServiceClosedError);
  });

  it('pass other errors and values on as they are', async () => {
    const waits = new OpenWaits();
    await expect(waits.during(undefined, () => Promise.resolve(7))).resolves.toBe(7);
    const error = new RangeError();
    await expect(waits.during(undefined, () => Promise.reject(error))).rejects.toBe(error);
  });
});

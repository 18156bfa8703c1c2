import { expect, it } from 'vitest';
import { countPromises, type OpenPromises } from './open-promises.js';

class Lock {
  readonly #key = 'a';
  readonly signal = new AbortController().signal;
  settle = (): void => undefined;

  release(): Promise<string> {
    return new Promise((resolve) => (this.settle = () => resolve(this.#key)));
  }
}

class Locks {
  readonly lock = new Lock();

  acquire(): Promise<Lock> {
    return Promise.resolve(this.lock);
  }

  fail(): Promise<never> {
    return Promise.reject(new Error('no'));
  }
}

it('finds promises that are not settled, of locks that calls have brought as well', async () => {
  const open: OpenPromises = new Map();
  const locks = new Locks();
  const counted = countPromises(locks, open);
  const lock = await counted.acquire();
  await expect(counted.fail()).rejects.toThrow('no');
  expect(lock.signal).toBeInstanceOf(AbortSignal);
  const released = lock.release();
  expect([...open]).toEqual([
    ['acquire', 0],
    ['fail', 0],
    ['release', 1],
  ]);
  locks.lock.settle();
  expect(await released).toBe('a');
  expect(open.get('release')).toBe(0);
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { onLockEvents } from '../telemetry/channels.js';
import { ActiveLocks } from './active-locks.js';
import type { Grant } from './grant.js';

const call = {
  kind: 'lock',
  mode: 'write',
  key: 'k',
  directory: '/locks/k',
  timeoutMs: 10,
} as const;
const activeLocks = new ActiveLocks();

const newGrant = () => {
  const onSettled = vi.fn<Grant['onSettled']>();
  const parts = { fencingToken: 7n, isReleased: false, loss: undefined, onSettled };
  return parts as Pick<Grant, keyof typeof parts> as Grant;
};

describe('a call without listeners', () => {
  it('is left as it is: nothing is wrapped or kept', async () => {
    const grant = newGrant();
    const taking = Promise.resolve(grant);
    expect(activeLocks.observe(call, taking)).toBe(taking);
    await taking;
    expect(grant.onSettled).not.toHaveBeenCalled();
  });
});

describe('a call with a listener', () => {
  let stop: () => void = () => undefined;
  afterEach(() => stop());

  it.each(['waitStart', 'waitEnd', 'holdStart', 'holdEnd'] as const)(
    'is told of on %s, whichever of the channels that is',
    async (name) => {
      const listener = vi.fn();
      stop = onLockEvents({ [name]: listener });
      const grant = newGrant();
      vi.mocked(grant.onSettled).mockImplementation((onSettled) => onSettled());
      expect(await activeLocks.observe(call, Promise.resolve(grant))).toBe(grant);
      expect(listener).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ connection: 'default', key: 'k', kind: 'lock' }),
      );
    },
  );

  it('fails with the very error that its wait failed with', async () => {
    const waitEnd = vi.fn();
    stop = onLockEvents({ waitEnd });
    const error = new Error('no');
    await expect(activeLocks.observe(call, Promise.reject(error))).rejects.toBe(error);
    expect(waitEnd.mock.calls[0]![0]).toMatchObject({ result: 'error', error });
  });
});

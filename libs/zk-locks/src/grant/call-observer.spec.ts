import { afterEach, describe, expect, it, vi } from 'vitest';
import { onLockEvents } from '../telemetry/channels.js';
import { CallObserver, type ObservedGrant } from './active-locks.js';

const call = { kind: 'lock', mode: 'write', key: 'k', timeoutMs: 10 } as const;
const counts = vi.fn(() => ({ held: 0, waiting: 0 }));
const observer = new CallObserver('default', counts);

const newHolding = (): ObservedGrant => ({
  fencingToken: 7n,
  isReleased: false,
  loss: undefined,
  onSettled: vi.fn(),
});

describe('a call without listeners', () => {
  it('is run as it is: nothing is wrapped, counted or kept', async () => {
    const holding = newHolding();
    const taking = Promise.resolve(holding);
    expect(observer.take(call, () => taking)).toBe(taking);
    expect(observer.wait(call, () => taking)).toBe(taking);
    await taking;
    expect(holding.onSettled).not.toHaveBeenCalled();
    expect(counts).not.toHaveBeenCalled();
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
      const holding = newHolding();
      vi.mocked(holding.onSettled).mockImplementation((onSettled) => onSettled());
      expect(await observer.take(call, () => Promise.resolve(holding))).toBe(holding);
      expect(listener).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ connection: 'default', key: 'k', kind: 'lock' }),
      );
    },
  );

  it('fails with the very error that its wait failed with', async () => {
    const waitEnd = vi.fn();
    stop = onLockEvents({ waitEnd });
    const error = new Error('no');
    await expect(observer.take(call, () => Promise.reject(error))).rejects.toBe(error);
    expect(waitEnd.mock.calls[0]![0]).toMatchObject({ result: 'error', error });
  });
});

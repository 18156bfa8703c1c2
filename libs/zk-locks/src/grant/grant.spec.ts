import { expect, it, vi } from 'vitest';
import { type Grant, HeldLock } from './grant.js';

it('is released once, even if what hears of it releases it again at the same moment', () => {
  const unshare = vi.fn(() => lock.release());
  const lock: HeldLock = new HeldLock('k', 'write', {
    unshare,
    share: () => undefined,
  } as unknown as Grant);
  void lock.release();
  expect(unshare).toHaveBeenCalledOnce();
});

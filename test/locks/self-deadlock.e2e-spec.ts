import { expect, it } from 'vitest';
import type { LockTimeoutError } from 'zk-locks';
import { openPlace } from '../support/place.js';

/** What makes a call wait for a lock that its caller holds. */
const alone = { reentrant: false, timeoutMs: 2_000 };

it('is advised to leave out `reentrant: false`, not to order keys', async () => {
  const { open } = await openPlace();
  const locks = await open();
  const inner = (): Promise<unknown> => locks.withLock('a', alone, () => 'done');
  for (const nested of [inner, () => locks.withLock('b', inner)]) {
    const error = (await locks
      .withLock('a', nested)
      .catch((reason: unknown) => reason)) as LockTimeoutError;
    expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'a' });
    expect(error.deadlock).toHaveLength(1);
    expect(error.message).toContain('the call waits for itself');
    expect(error.message).toContain('Leave out `reentrant: false`');
    expect(error.message).not.toMatch(/in one order|raise `timeoutMs`/);
  }
});

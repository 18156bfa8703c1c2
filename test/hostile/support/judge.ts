import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { LockAbortedError } from '../../../libs/zk-locks/src/lock-errors.js';
import { LockedDecoratorError } from '../../../libs/nestjs-zk-lock/src/decorators/decorator-errors.js';
import {
  messageWithoutLink,
  ZkLockConfigError,
  ZkLockError,
} from '../../../libs/zk-locks/src/zk-lock-error.js';

/** A wait that its own caller has aborted needs no advice; what is wrong in a decorator says itself. */
const ADVICE_IN_PLACE = [LockAbortedError, LockedDecoratorError];

const HANGS = Symbol('hangs');

/**
 * What a call comes to: nothing where it works. It must neither hang nor fail with anything but an
 * error of ours, which says what to do.
 */
export async function outcomeOf(call: () => unknown): Promise<ZkLockError | undefined> {
  const stop = new AbortController();
  const hang = sleep(5_000, HANGS, { signal: stop.signal }).catch(() => undefined);
  try {
    const value = await Promise.race([Promise.resolve().then(call), hang]);
    expect(value, 'what it came to').not.toBe(HANGS);
    return undefined;
  } catch (error) {
    if (!(error instanceof ZkLockError)) throw error;
    if (!ADVICE_IN_PLACE.some((kind) => error instanceof kind))
      expect(messageWithoutLink(error)).toMatch(/\S\. \S.*\.$/s);
    return error;
  } finally {
    stop.abort();
  }
}

/** As {@link outcomeOf}, where only some options can be at fault. */
export async function expectNamed(
  call: () => unknown,
  options: readonly string[],
): Promise<ZkLockError | undefined> {
  const error = await outcomeOf(call);
  if (error instanceof ZkLockConfigError) {
    expect(error.message).toContain(`\`${error.option}\``);
    if (options.length > 0) expect(options).toContain(error.option);
  }
  return error;
}

/** How many timers of this process are running. */
export function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

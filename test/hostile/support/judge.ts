import { expect } from 'vitest';
import { LockAbortedError } from '../../../libs/zk-locks/src/lock/lock-errors.js';
import {
  messageWithoutLink,
  ZkLockConfigError,
  ZkLockError,
} from '../../../libs/zk-client/src/zk-lock-error.js';
import { endsWithin } from '../../support/ends-within.js';
import { nastyValues } from './hostile-values.js';

/**
 * The error of a call, or undefined if it succeeds. The call must neither hang nor fail with
 * another kind of error, and the error must say what to do.
 */
export async function outcomeOf(call: () => unknown): Promise<ZkLockError | undefined> {
  const called = Promise.resolve().then(call);
  expect(await endsWithin(5_000, called), 'whether it ends').toBe(true);
  try {
    await called;
    return undefined;
  } catch (error) {
    if (!(error instanceof ZkLockError)) throw error;
    // An abort by the caller needs no remedy.
    if (!(error instanceof LockAbortedError))
      expect(messageWithoutLink(error)).toMatch(/\S\. \S.*\.$/s);
    return error;
  }
}

/** Like {@link outcomeOf}, but the error must name one of these options. */
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

/** The error of a call, if it is rejected. */
export const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The number of running timers in this process. */
export function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

/** Calls a function with each hostile value, one after another. */
export async function withHostileValues(call: (value: unknown) => Promise<unknown>): Promise<void> {
  for (const value of nastyValues()) await call(value);
}

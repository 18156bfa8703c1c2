import { ZkLockConfigError } from 'zk-locks';
import { show } from 'zk-locks/internal';
import type { OnBusy } from './on-busy.js';

/** What every decorator that waits for something can be told. */
export interface GuardedOptions<Args extends unknown[] = unknown[]> {
  readonly timeoutMs?: number | ((...args: Args) => number | undefined);
  readonly onBusy?: OnBusy;
  readonly connection?: string;
}

/** Says what is wrong with the value of an option, as the end of a sentence. */
export type Check = (value: unknown) => string | undefined;

export const checkTimeoutOption: Check = (value) =>
  typeof value === 'function' || (typeof value === 'number' && value >= 0)
    ? undefined
    : 'is not a time in milliseconds, 0 or more';

export const checkReleaseOption: Check = (value) =>
  value === 'wait' || value === 'background' ? undefined : "is neither 'wait' nor 'background'";

export const checkConnectionOption: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'is not the name of a connection';

/** One for each option there is. */
export type OptionChecks<T> = Readonly<Record<keyof T & string, Check>>;

/** What is wrong with a decorator's options, as a clause; nothing when they can be used. */
export function findOptionsProblem(
  options: object,
  checks: Readonly<Record<string, Check>>,
): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) return `it has no option \`${name}\`. Use ${Object.keys(checks).join(', ')}.`;
    const problem = value === undefined ? undefined : check(value);
    if (problem) return `its option \`${name}\` ${problem}.`;
  }
  return undefined;
}

/**
 * What an option comes to in one call, where it may be a function of the call's arguments.
 *
 * @throws {ZkLockConfigError} where that function throws
 */
export function resolveOption<T>(
  name: string,
  option: T | ((...args: never[]) => T),
  args: readonly unknown[],
): T {
  if (typeof option !== 'function') return option;
  try {
    return (option as (...args: readonly unknown[]) => T)(...args);
  } catch (cause) {
    throw new ZkLockConfigError(
      name,
      'its function throws',
      'See the `cause`, and let it return.',
      {
        cause,
      },
    );
  }
}

/**
 * As {@link resolveOption}, checked as the plain value is.
 *
 * @throws {ZkLockConfigError}
 */
export function resolveChecked<T>(
  name: string,
  option: T | ((...args: never[]) => T),
  args: readonly unknown[],
  check: Check,
): T {
  const value = resolveOption(name, option, args);
  const problem = value === undefined ? undefined : check(value);
  if (!problem) return value;
  throw new ZkLockConfigError(name, `${show(value)} ${problem}`, 'See what its function returns.');
}

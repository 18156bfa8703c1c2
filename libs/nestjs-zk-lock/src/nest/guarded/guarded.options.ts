import { ZkLockConfigError } from 'zk-locks';
import { type OptionName, OPTIONS, orFunction, show } from 'zk-locks/internal';
import type { OnBusy } from './on-busy.js';

/** What every decorator that waits for something can be told. */
export interface GuardedOptions<Args extends unknown[] = unknown[]> {
  readonly timeoutMs?: number | ((...args: Args) => number | undefined);
  readonly onBusy?: OnBusy;
  readonly connection?: string;
}

/**
 * The options of a decorator: whether each may also be a function of the call's arguments, and which
 * are checked elsewhere.
 */
export type DecoratorOptionKinds<T> = Readonly<
  Record<keyof T & string, 'value' | 'orFunction' | 'unchecked'>
>;

/** What is wrong with a decorator's options, as a clause; nothing when they can be used. */
export function findOptionsProblem(
  options: object,
  kinds: DecoratorOptionKinds<Record<string, unknown>>,
): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind) return `it has no option \`${name}\`. Use ${Object.keys(kinds).join(', ')}.`;
    if (value === undefined || kind === 'unchecked') continue;
    const option = OPTIONS[name as OptionName];
    const { accepts, expected, remedy } = kind === 'orFunction' ? orFunction(option) : option;
    if (!accepts(value))
      return `its option \`${name}\` must be ${expected}; got ${show(value)}. ${remedy}`;
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
      'is a function that throws',
      'Let it return; the `cause` says more.',
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
  name: OptionName,
  option: T | ((...args: never[]) => T),
  args: readonly unknown[],
): T {
  const value = resolveOption(name, option, args);
  const { accepts, expected } = OPTIONS[name];
  if (value === undefined || accepts(value)) return value;
  throw new ZkLockConfigError(
    name,
    `must be ${expected}; got ${show(value)}`,
    'See what its function returns.',
  );
}

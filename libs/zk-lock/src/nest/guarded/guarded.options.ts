/** What every decorator that waits for something can be told. */
export interface GuardedOptions<Args extends unknown[] = unknown[]> {
  readonly timeoutMs?: number | ((...args: Args) => number | undefined);
  readonly connection?: string;
}

/** Says what is wrong with the value of an option, as the end of a sentence. */
type Check = (value: unknown) => string | undefined;

export const checkTimeoutOption: Check = (value) =>
  typeof value === 'function' || (typeof value === 'number' && value >= 0)
    ? undefined
    : 'is not a time in milliseconds, 0 or more';

export const checkConnectionOption: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'is not the name of a connection';

/**
 * What is wrong with a decorator's options, as a clause; nothing when they can be used.
 *
 * @param checks one for each option there is
 */
export function findOptionsProblem(
  options: unknown,
  checks: Readonly<Record<string, Check>>,
): string | undefined {
  if (typeof options !== 'object' || options === null) return 'its options are not an object.';
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) return `it has no option \`${name}\`. Use ${Object.keys(checks).join(', ')}.`;
    const problem = value === undefined ? undefined : check(value);
    if (problem) return `its option \`${name}\` ${problem}.`;
  }
  return undefined;
}

/**
 * What `@OnlyLeader()` takes besides the key.
 *
 * @publicApi
 */
export interface OnlyLeaderOptions {
  /**
   * What a call does where this process does not lead: `throw` rejects with a `NotLeaderError`,
   * `skip` resolves to `undefined` without running the method, which must return `Promise<void>`.
   * @default 'throw'
   */
  onFollower?: 'throw' | 'skip';
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper keeps the election.
   * @default the connection without a name
   */
  connection?: string;
}

const CHECKS: Record<keyof OnlyLeaderOptions, (value: unknown) => string | undefined> = {
  onFollower: (value) =>
    value === 'throw' || value === 'skip' ? undefined : "is neither 'throw' nor 'skip'",
  connection: (value) =>
    typeof value === 'string' && value !== '' ? undefined : 'is not the name of a connection',
};

/** What is wrong with the options, as a clause; nothing when they can be used. */
export function findLeaderOptionsProblem(options: unknown): string | undefined {
  if (typeof options !== 'object' || options === null) return 'its options are not an object.';
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) {
      return `it has no option \`${name}\`. Use ${Object.keys(CHECKS).join(', ')}.`;
    }
    const problem =
      value === undefined ? undefined : CHECKS[name as keyof OnlyLeaderOptions](value);
    if (problem) return `its option \`${name}\` ${problem}.`;
  }
  return undefined;
}

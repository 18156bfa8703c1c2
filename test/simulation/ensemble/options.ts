/** A delay that occurs at random. */
export interface Delay {
  readonly percent: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

export interface MemberOptions {
  readonly tickTimeMs: number;
  /** The minimum timeout of a session, in milliseconds. */
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** How late a server that does not lead executes committed entries. */
  readonly lag: Delay;
  /** The maximum size of a request, in bytes (`jute.maxbuffer`). */
  readonly maxFrameBytes: number;
}

export interface EnsembleOptions extends Partial<MemberOptions> {
  /** The number of voters, from 1 to 5. A single server holds no election. @default 3 */
  readonly voters?: number;
  /** Whether there is an observer, and which server it connects to. @default 'none' */
  readonly observers?: 'none' | 'of the leader' | 'of a follower';
  /** In ticks. @default 5 */
  readonly syncLimit?: number;
  /** How often empty containers are looked for, in milliseconds. @default 60000 */
  readonly containerCheckMs?: number;
  /** Options of single servers, in their order. */
  readonly members?: readonly (Partial<MemberOptions> | undefined)[];
}

export type ResolvedOptions = ReturnType<typeof resolveEnsemble>;

export function resolveEnsemble(options: EnsembleOptions) {
  const { observers = 'none', voters = 3 } = options;
  if (voters === 1 && observers === 'of a follower') {
    throw new Error('an observer of a follower needs a follower: have three voters or more');
  }
  const { syncLimit = 5, containerCheckMs = 60_000 } = options;
  return { voters, observers, initLimit: 10, syncLimit, containerCheckMs };
}

/** The options of one server, which override those of the ensemble. */
export function resolveMember(options: EnsembleOptions, index: number): MemberOptions {
  const own: Partial<MemberOptions> = { ...options, ...options.members?.[index] };
  const { tickTimeMs = 2_000, maxFrameBytes = 1_048_575 } = own;
  const { minSessionTimeoutMs = 2 * tickTimeMs, maxSessionTimeoutMs = 20 * tickTimeMs } = own;
  const { lag = { percent: 0, leastMs: 0, mostMs: 0 } } = own;
  return { tickTimeMs, minSessionTimeoutMs, maxSessionTimeoutMs, lag, maxFrameBytes };
}

export function isVoter({ voters }: ResolvedOptions, id: number): boolean {
  return id <= voters;
}

export function majorityOf({ voters }: ResolvedOptions): number {
  return Math.floor(voters / 2) + 1;
}

/** Something that usually takes no time, and sometimes does. */
export interface Delay {
  readonly percent: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

export interface MemberOptions {
  readonly tickTimeMs: number;
  /** The shortest session that a client can get, in milliseconds. */
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** How late it executes what is committed, where it is not the leader. */
  readonly lag: Delay;
  /** The longest request, in bytes (`jute.maxbuffer`). */
  readonly maxFrameBytes: number;
}

export interface EnsembleOptions extends Partial<MemberOptions> {
  /** 1 to 5. One alone needs no election. @default 3 */
  readonly voters?: number;
  /** Whether there is a server without a vote, and from whom it hears. @default 'none' */
  readonly observers?: 'none' | 'of the leader' | 'of a follower';
  /** In ticks. @default 10 */
  readonly initLimit?: number;
  /** In ticks. @default 5 */
  readonly syncLimit?: number;
  /** How often empty containers are looked for, in milliseconds. @default 60000 */
  readonly containerCheckMs?: number;
  /** What is different for one of the servers, in their order. */
  readonly members?: readonly (Partial<MemberOptions> | undefined)[];
}

export interface ResolvedOptions extends Required<Omit<EnsembleOptions, keyof MemberOptions>> {
  readonly observerCount: number;
  readonly tickTimeMs: number;
}

export function resolveEnsemble(options: EnsembleOptions): ResolvedOptions {
  const { observers = 'none', voters = 3 } = options;
  if (voters === 1 && observers === 'of a follower') {
    throw new Error('an observer of a follower needs a follower: have three voters or more');
  }
  return {
    voters,
    observers,
    observerCount: observers === 'none' ? 0 : 1,
    initLimit: options.initLimit ?? 10,
    syncLimit: options.syncLimit ?? 5,
    containerCheckMs: options.containerCheckMs ?? 60_000,
    members: options.members ?? [],
    tickTimeMs: options.tickTimeMs ?? 2_000,
  };
}

/** The options of one server: its own before those of all. */
export function resolveMember(options: EnsembleOptions, index: number): MemberOptions {
  const own: Partial<MemberOptions> = { ...options, ...options.members?.[index] };
  const tickTimeMs = own.tickTimeMs ?? 2_000;
  return {
    tickTimeMs,
    minSessionTimeoutMs: own.minSessionTimeoutMs ?? 2 * tickTimeMs,
    maxSessionTimeoutMs: own.maxSessionTimeoutMs ?? 20 * tickTimeMs,
    lag: own.lag ?? { percent: 0, leastMs: 0, mostMs: 0 },
    maxFrameBytes: own.maxFrameBytes ?? 1_048_575,
  };
}

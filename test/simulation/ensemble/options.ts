import { type Delay, NO_DELAY } from './log/journal.js';

export interface MemberOptions {
  readonly tickTimeMs: number;
  /** The shortest session that a client can get, in milliseconds. */
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** How late it executes what is committed, where it is not the leader. */
  readonly lag: Delay;
  /** How long a write to its disk takes. It confirms nothing before. */
  readonly disk: Delay;
  /** The longest request, in bytes (`jute.maxbuffer`). */
  readonly maxFrameBytes: number;
}

export interface EnsembleOptions extends Partial<MemberOptions> {
  /** 1 to 5. One alone needs no election. @default 3 */
  readonly voters?: number;
  /** Whether there are servers without a vote, and from whom they hear. @default 'none' */
  readonly observers?: 'none' | 'of the leader' | 'of a follower';
  /** @default 1 where there are observers */
  readonly observerCount?: number;
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
    observerCount: observers === 'none' ? 0 : (options.observerCount ?? 1),
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
    lag: own.lag ?? NO_DELAY,
    disk: own.disk ?? NO_DELAY,
    maxFrameBytes: own.maxFrameBytes ?? 1_048_575,
  };
}

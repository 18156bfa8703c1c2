import { machineTime } from '../workers/soak/journal.js';
import type { Notice } from './notice.js';

/** A process that takes the locks of one library. All times are milliseconds of `machineTime`. */
export interface Contender {
  /** Waits for its turn. */
  acquire(key: string): Promise<HeldLock>;
  stop(): Promise<void>;
}

export interface HeldLock {
  readonly grantedAt: number;
  /** What its holder hears, once it hears anything, of a cut at `cutAt`. */
  notice(cutAt: number): Promise<Notice>;
  /** Gives it back, or what is left of it. */
  release(): Promise<void>;
}

export interface SessionOptions {
  readonly servers: string;
  readonly sessionTimeoutMs: number;
  readonly tickTimeMs: number;
}

export type StartContender = (session: SessionOptions) => Promise<Contender>;

/**
 * What another process has measured between a question of this one and its answer.
 *
 * @throws {Error} when that cannot have been the clock of this process
 */
export function onOneClock(askedAt: number, at: number): number {
  const answeredAt = machineTime();
  if (at >= askedAt && at <= answeredAt) return at;
  throw new Error(`the clocks differ: ${at} ms is not between ${askedAt} and ${answeredAt} ms`);
}

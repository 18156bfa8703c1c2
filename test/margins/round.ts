import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender, HeldLock } from './contender.js';
import type { Notice } from './notice.js';

/** A holder that will be cut off, and who gets the lock next. */
export interface Pair {
  readonly holder: Contender;
  readonly waiter: Contender;
  readonly key: string;
}

/** What came of one freeze. */
export interface Sample extends Notice {
  readonly cutAt: number;
  /** When the next one had the lock; missing where nobody got it for as long as the freeze lasted. */
  readonly grantedAt?: number;
}

/** By how much the former holder was told before the next one had the lock, in ms. */
export function marginOf({ grantedAt, toldAt }: Sample): number | undefined {
  return grantedAt === undefined ? undefined : grantedAt - toldAt;
}

/** One holder, one waiter, one cut. */
export class Round {
  private constructor(
    private readonly held: HeldLock,
    private readonly waiting: Promise<HeldLock>,
  ) {
    // A process that is ended while it waits is none of this round's business any more.
    waiting.catch(() => undefined);
  }

  static async begin({ holder, waiter, key }: Pair): Promise<Round> {
    const held = await holder.acquire(key);
    return new Round(held, waiter.acquire(key));
  }

  /** @param patienceMs how long to wait for the next grant */
  async outcome(cutAt: number, patienceMs: number): Promise<Sample> {
    const limit = new AbortController();
    const granted = await Promise.race([
      this.waiting,
      sleep(patienceMs, undefined, { signal: limit.signal }),
    ]).finally(() => limit.abort());
    const notice = await this.held.notice(cutAt);
    return { cutAt, ...notice, ...(granted && { grantedAt: granted.grantedAt }) };
  }

  /** Once what was cut is whole again. */
  async end(): Promise<void> {
    const next = async (): Promise<void> => (await this.waiting).release();
    await Promise.all([this.held.release(), next()]);
  }
}

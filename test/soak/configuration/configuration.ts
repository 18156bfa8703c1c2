import type { ClientName } from 'nestjs-zk-lock';

/** The tick of the servers, and the session timeout of the replicas, in milliseconds. */
export const TICK_MS = 500;
export const SESSION_MS = 2_000;

/** The differences between stages. */
export interface Configuration {
  readonly client: ClientName;
  /** Whether there is an observer, which connects to a follower. */
  readonly hasObserver: boolean;
  /** How long two of the three replicas keep an unused lock, in milliseconds; 0 without cohorts. */
  readonly keepMs: number;
}

export const CONFIGURATIONS: readonly Configuration[] = [
  { client: 'native', hasObserver: false, keepMs: 500 },
  { client: 'wire', hasObserver: true, keepMs: 0 },
];

/** The replicas' `tickTimeMs`. Reports of an observer behind a follower take two hops. */
export function reportTickMs({ hasObserver }: Configuration): number {
  return hasObserver ? 2 * TICK_MS : TICK_MS;
}

/** The margin of every session timeout, three heartbeats, and two round trips. */
const USED = 1 / 20 + 3 / 10 + 1 / 20;

/** The largest `marginMs` with which a session can hold locks, or 0 if none is possible. */
export function longestMarginMs(timeoutMs: number, tickTimeMs: number): number {
  const leftMs = timeoutMs * (1 - USED) - tickTimeMs / 2;
  return Math.max(0, Math.floor(leftMs));
}

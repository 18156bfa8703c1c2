import { longestMarginMs } from '../../soak/configuration/configuration.js';
import type { Random } from '../../workers/soak/random.js';
import { USER_KINDS, type UserKind } from '../story/users/user-turns.js';
import type { ReplicaPlan, ServersPlan } from './plan.js';

/** What else is in a story, besides locks: the same in all replicas. */
export interface Contents {
  readonly userKinds: readonly UserKind[];
  /** The longest time between two turns of a user. */
  readonly usersIdleMs: number;
  /** That of some replicas, in milliseconds. */
  readonly marginMs: number;
  /** Of a holder's writes, those that are guarded transactions. */
  readonly guardedPercent: number;
  /** In how much time the jobs run at most once, in milliseconds. */
  readonly everyMs: readonly number[];
  readonly countsPromises: boolean;
}

const WITH_USERS_PERCENT = 25;
/** Of a kind, in one process. */
const MOST_USERS = 2;
/** Mostly long: their calls shall not take the time of those of the locks. */
const USERS_IDLE_MS = [20, 300, 1_000, 2_000];
const WITH_MARGIN_PERCENT = 30;
/** Of the replicas, where some have a margin. */
const HAVING_MARGIN_PERCENT = 70;
const COUNTING_PERCENT = 10;
/** Without guarded writes, holders ask the servers for nothing. */
const GUARDED_PERCENT = [0, 10, 50];
/** Those of the keys, in their order. The longer ones outlast leaders. */
const EVERY_MS = [
  [300, 1_000, 3_000],
  [3_000, 300, 1_000],
  [8_000, 3_000, 8_000],
];

export function drawContents(
  random: Random,
  { sessionTimeoutMs = 0, tickTimeMs = 0 }: ReplicaPlan['options'],
  { maxSessionTimeoutMs: mostGrantedMs, members = [] }: ServersPlan,
): Contents {
  const hasUsers = random.chance(WITH_USERS_PERCENT);
  const hasMargin = random.chance(WITH_MARGIN_PERCENT);
  const countsPromises = random.chance(COUNTING_PERCENT);
  const granted = members.map(({ maxSessionTimeoutMs = mostGrantedMs }) => maxSessionTimeoutMs);
  const grantedMs = Math.min(sessionTimeoutMs, mostGrantedMs, ...granted);
  const mostMs = longestMarginMs(grantedMs, tickTimeMs);
  return {
    userKinds: hasUsers ? USER_KINDS.filter(() => random.chance(50)) : [],
    usersIdleMs: random.pick(USERS_IDLE_MS),
    countsPromises,
    // A short one fits into the time by which servers end sessions later than they may.
    marginMs: hasMargin && mostMs > 0 ? random.pick([random.between(1, mostMs), mostMs]) : 0,
    guardedPercent: random.pick(GUARDED_PERCENT),
    everyMs: random.pick(EVERY_MS),
  };
}

export function withContents(
  random: Random,
  replica: ReplicaPlan,
  { userKinds, usersIdleMs, marginMs: longestMs, ...contents }: Contents,
): ReplicaPlan {
  const marginMs = longestMs > 0 && random.chance(HAVING_MARGIN_PERCENT) ? longestMs : 0;
  const others = { ...contents, marginMs };
  if (userKinds.length === 0) return { ...replica, ...others };
  const users = Object.fromEntries(
    userKinds.map((kind) => [kind, random.between(1, MOST_USERS)] as const),
  );
  return { ...replica, ...others, users, usersIdleMs };
}

import { longestMarginMs } from '../../soak/configuration/configuration.js';
import type { Random } from '../../workers/soak/random.js';
import { USER_KINDS, type UserKind } from '../story/users/user-turns.js';
import type { ReplicaPlan, ServersPlan } from './plan.js';

/** The options, users and jobs that all replicas of a story have in common, besides locks. */
export interface Contents {
  readonly userKinds: readonly UserKind[];
  /** The maximum pause of a user between two turns. */
  readonly usersIdleMs: number;
  /** The safety margin of some replicas, in milliseconds. */
  readonly marginMs: number;
  /** The percentage of a holder's writes that are guarded transactions. */
  readonly guardedPercent: number;
  /** The periods of the jobs, in milliseconds. Each job runs at most once in a period. */
  readonly everyMs: readonly number[];
  readonly countsPromises: boolean;
}

const WITH_USERS_PERCENT = 25;
/** The maximum number of users of one kind in a process. */
const MOST_USERS = 2;
/** Mostly long, so that the users' calls do not crowd out those for locks. */
const USERS_IDLE_MS = [20, 300, 1_000, 2_000];
const WITH_MARGIN_PERCENT = 30;
/** The percentage of replicas with a margin, in stories that have one. */
const HAVING_MARGIN_PERCENT = 70;
const COUNTING_PERCENT = 10;
/** Without guarded writes, holders send no requests. */
const GUARDED_PERCENT = [0, 10, 50];
/** One period for each key. The longer ones outlast leaders. */
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
    // Servers end sessions later than they may. A short margin fits into this delay.
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

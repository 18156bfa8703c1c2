import type { Random } from '../../workers/soak/random.js';
import type { MemberOptions } from '../ensemble/options.js';
import type { ServersPlan } from './plan.js';

/** Mostly short: the shorter a session, the more session timeouts fit into a story. */
const TICKS_MS = [200, 200, 200, 500, 500, 500, 1_000, 2_000];
const TICKS_IF_SEVERAL_MS = [200, 200, 200, 200, 500, 500, 1_000];
/** The percentage of stories whose servers have different options. */
const MEMBERS_PERCENT = 40;
/** The shortest session timeout with which the operator's process can hold locks. */
const OPERATOR_MS = 1_600;

export function drawServers(
  random: Random,
  { wanted, areSeveral }: { readonly wanted: number | undefined; readonly areSeveral: boolean },
): ServersPlan {
  const tickTimeMs = random.pick(areSeveral ? TICKS_IF_SEVERAL_MS : TICKS_MS);
  const drawn = random.pick(areSeveral ? [3, 3, 3, 3, 5] : [1, 1, 1, 3, 3, 3, 3, 5]);
  const voters = wanted ?? drawn;
  const isObserved = voters > 1 && random.chance(25);
  return {
    ...{ tickTimeMs, voters },
    observer: isObserved ? random.pick(['of the leader', 'of a follower']) : 'none',
    syncLimit: random.between(3, 10),
    minSessionTimeoutMs: 2 * tickTimeMs,
    maxSessionTimeoutMs: 20 * tickTimeMs,
    containerCheckMs: random.pick([200, 2_000, 60_000]),
    members: random.chance(MEMBERS_PERCENT)
      ? Array.from({ length: voters }, () => drawMember(random, tickTimeMs))
      : undefined,
  };
}

/** Some servers grant shorter sessions than most processes request. */
function drawMember(random: Random, tickTimeMs: number): Partial<MemberOptions> {
  const mostMs = random.pick([0, 20, 100]);
  return {
    maxSessionTimeoutMs: Math.max(OPERATOR_MS, random.pick([3, 3, 6, 20]) * tickTimeMs),
    lag: { percent: 20, leastMs: 0, mostMs },
  };
}

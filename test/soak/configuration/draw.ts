import type { ClientName } from 'nestjs-zk-lock';
import type { Random } from '../../workers/soak/random.js';
import { reportTickMs, USUAL, type Configuration } from './configuration.js';

/** Long ones make long rounds, so they are rarer. */
const TICKS_MS = [500, 500, 500, 1_000, 1_000, 2_000, 4_000];
const SESSIONS_MS = [1_500, 2_000, 3_000, 4_000];
/** Shorter sessions have such a short lease that each late timer loses locks. */
const LEAST_TICKS = 0.9;
/** The longest time for which a server that is cut off goes on serving. */
const CUT_OFF_MS = 12_000;
/** How long an election and what follows may take. */
const ELECTION_MS = 10_000;

/** A configuration in which the replicas can hold locks. */
export function drawConfiguration(random: Random, client: ClientName): Configuration {
  const tickTimeMs = random.pick(TICKS_MS);
  const observer = drawObserver(random, tickTimeMs);
  const leastMs = LEAST_TICKS * reportTickMs({ ...USUAL, tickTimeMs, observer });
  const grantedMs = random.pick(SESSIONS_MS.filter((ms) => ms >= leastMs));
  const shortestLimit = Math.max(2, Math.ceil((1.5 * grantedMs) / tickTimeMs));
  const longestLimit = Math.max(shortestLimit, CUT_OFF_MS / tickTimeMs);
  const isSingle = client === 'wire' && random.chance(20);
  return {
    ...{ client, tickTimeMs, observer },
    dialect: isSingle ? 'single-node' : 'curator-rw',
    ...drawLimits(random, tickTimeMs, grantedMs),
    initLimit: Math.max(5, ELECTION_MS / tickTimeMs),
    syncLimit: random.between(shortestLimit, longestLimit),
    localSessions: random.chance(20),
    reconfigurable: observer === 'none' && random.chance(25),
    forceSync: random.chance(30),
    snapCount: random.pick([100, 2_000, USUAL.snapCount]),
    cohorts: random.chance(60) && !isSingle,
    keepMs: random.pick([0, 50, 500, 3_000]),
  };
}

function drawObserver(random: Random, tickTimeMs: number): Configuration['observer'] {
  const percent = random.between(1, 100);
  if (percent <= 60) return 'none';
  // Its reports take two hops, for which a session of the longest tick would be too short.
  return percent <= 75 || tickTimeMs > 2_000 ? 'of the leader' : 'of a follower';
}

/** Limits with which sessions get this timeout, and the timeout to ask for. */
function drawLimits(
  random: Random,
  tickTimeMs: number,
  grantedMs: number,
): Pick<Configuration, 'minSessionTimeoutMs' | 'maxSessionTimeoutMs' | 'sessionTimeoutMs'> {
  const lowest = Math.min(grantedMs, 2 * tickTimeMs);
  switch (random.pick(['within the limits', 'by the highest', 'by the lowest'])) {
    case 'by the highest':
      return {
        minSessionTimeoutMs: lowest,
        maxSessionTimeoutMs: grantedMs,
        sessionTimeoutMs: 4 * grantedMs,
      };
    case 'by the lowest':
      return {
        minSessionTimeoutMs: grantedMs,
        maxSessionTimeoutMs: USUAL.maxSessionTimeoutMs,
        sessionTimeoutMs: grantedMs / 2,
      };
    default:
      return {
        minSessionTimeoutMs: random.pick([lowest, Math.min(lowest, grantedMs / 2)]),
        maxSessionTimeoutMs: USUAL.maxSessionTimeoutMs,
        sessionTimeoutMs: grantedMs,
      };
  }
}

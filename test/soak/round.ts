import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime } from '../workers/soak/journal.js';
import { LOCK_KINDS, POOL, type LockKind } from '../workers/soak/protocol.js';
import type { Random } from '../workers/soak/random.js';
import { check } from './checks/check.js';
import type { Tokens } from './checks/fencing.js';
import { marginsOf } from './checks/notice.js';
import type { History, Violation } from './history/history.js';
import type { Fault } from './nemesis/fault.js';
import { settle } from './stage/settle.js';
import { GUARDED, type Stage } from './stage/stage.js';

/** The least time by which a wait may outlast its patience. */
const LATE_MS = 2_000;
/** Time for elections and for servers that start, in milliseconds. */
const RECOVERY_MS = 5_000;

/** The results of one fault. */
export interface RoundReport {
  readonly fault: string;
  /** In milliseconds. */
  readonly sessionTimeoutMs: number;
  readonly violations: readonly Violation[];
  /** Grants of each kind. */
  readonly grants: ReadonlyMap<LockKind, number>;
  /** The longest wait of each kind after the fault, in ms. */
  readonly slowestMs: ReadonlyMap<LockKind, number>;
  /** From the moment when a holder was told of its loss to the next grant, in ms. */
  readonly marginsMs: readonly number[];
  /** Broken locks that their processes gave up. */
  readonly broken: number;
  /** Writes by transactions that check their locks. */
  readonly guardedWrites: number;
}

/**
 * Lets the replicas work, inflicts a fault, heals it, lets them come to rest, and checks the
 * history.
 */
export async function playRound(
  stage: Stage,
  fault: Fault,
  random: Random,
  tokens: Tokens,
): Promise<RoundReport> {
  const { sessionTimeoutMs, handovers } = stage;
  await stage.run(fault.workloadOf);
  await sleep(random.between(200, 600));
  const heal = await fault.inflict(stage, random);
  const inflictedAt = machineTime();
  const [shortest, longest] = fault.lasts;
  await sleep((random.between(shortest * 100, longest * 100) / 100) * sessionTimeoutMs);
  await heal();
  const healedAt = machineTime();
  await sleep(random.between(200, 500));
  const left = await settle(stage, servedWithinMs(stage, fault));
  const history = await stage.takeHistory();
  const examined = (await fault.examine?.(stage, history)) ?? [];
  const lateMs = Math.max(LATE_MS, longestTimeoutMs(stage));
  const terms = { permits: POOL.permits, lateMs, handovers };
  return {
    ...{ fault: fault.name, sessionTimeoutMs },
    violations: [...left, ...examined, ...check(history, tokens, terms)],
    grants: byKind((kind) => history.grants.filter((grant) => grant.kind === kind).length),
    slowestMs: slowest(history, fault.stopsAll ? healedAt : inflictedAt),
    marginsMs: marginsOf(history),
    broken: history.breaks.length,
    guardedWrites: history.writes.filter(({ key }) => key.startsWith(GUARDED)).length,
  };
}

/**
 * How soon after the last fault each waiter must be served. Dead sessions have to expire first, for
 * which the leader looks once a tick; so may the sessions of waiters ahead.
 */
function servedWithinMs(stage: Stage, { lengthensSessions = 1 }: Fault): number {
  const { tickTimeMs, keepMs } = stage.configuration;
  return 2 * (lengthensSessions * longestTimeoutMs(stage) + tickTimeMs) + keepMs + RECOVERY_MS;
}

/**
 * The timeout that replicas ask for limits each attempt to connect, and may exceed the granted one.
 */
function longestTimeoutMs({ sessionTimeoutMs, configuration }: Stage): number {
  return Math.max(sessionTimeoutMs, configuration.sessionTimeoutMs);
}

function slowest({ waits }: History, from: number): Map<LockKind, number> {
  const granted = waits.filter(({ answer }) => answer?.outcome === 'granted' && answer.at > from);
  return byKind((kind) =>
    granted
      .filter((wait) => wait.kind === kind)
      .map(({ askedAt, answer }) => (answer?.at ?? 0) - Math.max(askedAt, from))
      .reduce((longest, ms) => Math.max(longest, ms), 0),
  );
}

function byKind(count: (kind: LockKind) => number): Map<LockKind, number> {
  return new Map(LOCK_KINDS.map((kind) => [kind, count(kind)]));
}

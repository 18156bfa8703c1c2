import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientName } from 'nestjs-zk-lock';
import { machineTime } from '../workers/soak/journal.js';
import { POOL } from '../workers/soak/protocol.js';
import type { Random } from '../workers/soak/random.js';
import { check } from './checks/check.js';
import type { Tokens } from './checks/fencing.js';
import { marginsOf } from './checks/notice.js';
import { TICK_MS } from './configuration/configuration.js';
import type { History, Violation } from './history/history.js';
import type { Fault } from './nemesis/fault.js';
import { settle } from './stage/settle.js';
import type { Stage } from './stage/stage.js';

/** How much longer than its timeout a wait may take, at least. */
const LATE_MS = 2_000;
/** Time for elections and for servers that start, in milliseconds. */
const RECOVERY_MS = 5_000;

/** The results of one fault. */
export interface RoundReport {
  readonly fault: string;
  readonly client: ClientName;
  /** In milliseconds. */
  readonly sessionTimeoutMs: number;
  readonly violations: readonly Violation[];
  readonly grants: number;
  /** The longest wait after the fault, in ms. */
  readonly slowestMs: number;
  /** The times from the notice of a loss to the next grant, in ms. */
  readonly marginsMs: readonly number[];
}

/** Lets the replicas work, inflicts and heals a fault, and checks the history. */
export async function playRound(
  stage: Stage,
  fault: Fault,
  random: Random,
  tokens: Tokens,
): Promise<RoundReport> {
  const { sessionTimeoutMs, handovers } = stage;
  const { client, keepMs } = stage.configuration;
  await stage.run();
  await sleep(random.between(200, 600));
  const heal = await fault.inflict(stage, random);
  const inflictedAt = machineTime();
  const [shortest, longest] = fault.lasts;
  await sleep((random.between(shortest * 100, longest * 100) / 100) * sessionTimeoutMs);
  await heal();
  const healedAt = machineTime();
  await sleep(random.between(200, 500));
  // Dead sessions must expire first, including those ahead in the queue. The leader checks once per
  // tick.
  const left = await settle(stage, 2 * (sessionTimeoutMs + TICK_MS) + keepMs + RECOVERY_MS);
  const history = await stage.takeHistory();
  const lateMs = Math.max(LATE_MS, sessionTimeoutMs);
  const terms = { permits: POOL.permits, lateMs, handovers };
  return {
    ...{ fault: fault.name, client, sessionTimeoutMs },
    violations: [...left, ...check(history, tokens, terms)],
    grants: history.grants.length,
    slowestMs: slowest(history, fault.stopsAll ? healedAt : inflictedAt),
    marginsMs: marginsOf(history),
  };
}

function slowest({ waits }: History, from: number): number {
  return waits
    .filter(({ answer }) => answer?.outcome === 'granted' && answer.at > from)
    .map(({ askedAt, answer }) => (answer?.at ?? 0) - Math.max(askedAt, from))
    .reduce((longest, ms) => Math.max(longest, ms), 0);
}

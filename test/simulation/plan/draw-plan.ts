import { FAULT_KINDS } from '../faults/catalogue.js';
import { LOCK_KINDS, type LockKind } from '../../workers/soak/protocol.js';
import { Random } from '../../workers/soak/random.js';
import type { MemberOptions } from '../ensemble/options.js';
import { withContenders } from './draw-contenders.js';
import { drawContents, withContents } from './draw-contents.js';
import type { FaultPlan, Moment, Plan, ReplicaPlan, ServersPlan } from './plan.js';

/** What the caller of a simulation may fix. */
export interface Wishes {
  /** The number of voting servers. */
  readonly voters?: number | undefined;
  /** Only faults of these kinds. */
  readonly faults?: readonly string[] | undefined;
  /** Nothing goes wrong. */
  readonly calm?: boolean | undefined;
  readonly workMs?: number | undefined;
  /** The longest time between two turns of a task, in milliseconds. */
  readonly idleMs?: number | undefined;
}

const TICKS_MS = [200, 500, 500, 1_000, 2_000];
/** Mostly short: what has come to rest again is checked most thoroughly. */
const WORK_MS = [2_000, 4_000, 8_000, 16_000];
/** Shorter sessions have such a short lease that no lock can be held. */
const LEAST_TICKS = 2;

/**
 * Draws a story. Each draws which kinds of faults and of calls there are at all: where all of them
 * come at once, some hide others.
 */
export function drawPlan(seed: number, wishes: Wishes = {}): Plan {
  const random = new Random(seed);
  const servers = drawServers(random, wishes);
  const shared = drawShared(random, servers);
  const keys = ['a', 'b', 'c'].slice(0, shared.isQuiet ? 1 : random.pick([1, 1, 2, 3]));
  const contents = drawContents(random.fork(), shared.options, servers);
  const count = random.between(2, 4);
  const replicas = Array.from({ length: count }, (_, place) =>
    withContents(random.fork(), drawReplica(random, place, shared, wishes), contents),
  );
  const workMs = wishes.workMs ?? random.pick(WORK_MS);
  const faults = wishes.calm ? [] : drawFaults(random, workMs, shared, wishes);
  const operatorLateMs = random.pick([0, 0, 10, 50]);
  const plan = { seed, workMs, keys, servers, replicas, operatorLateMs, faults };
  return withContenders(random.fork(), plan);
}

function drawServers(random: Random, { voters: wanted }: Wishes): ServersPlan {
  const tickTimeMs = random.pick(TICKS_MS);
  const drawn = random.pick([1, 1, 3, 3, 3, 5]);
  const voters = wanted ?? drawn;
  const isObserved = voters > 1 && random.chance(25);
  return {
    ...{ tickTimeMs, voters },
    observer: isObserved ? random.pick(['of the leader', 'of a follower']) : 'none',
    initLimit: 10,
    syncLimit: random.between(3, 10),
    minSessionTimeoutMs: 2 * tickTimeMs,
    maxSessionTimeoutMs: 20 * tickTimeMs,
    containerCheckMs: random.pick([200, 2_000, 60_000]),
    members: random.chance(MEMBERS_PERCENT)
      ? Array.from({ length: voters }, () => drawMember(random, tickTimeMs))
      : undefined,
  };
}

/** The share of stories whose servers differ, in percent. */
const MEMBERS_PERCENT = 40;
/** The shortest session by which an operator's process can hold locks. */
const OPERATOR_MS = 1_600;

function drawMember(random: Random, tickTimeMs: number): Partial<MemberOptions> {
  const mostMs = random.pick([0, 20, 100]);
  return {
    maxSessionTimeoutMs: Math.max(OPERATOR_MS, random.pick([3, 6, 20]) * tickTimeMs),
    lag: { percent: 20, leastMs: 0, mostMs },
  };
}

interface Shared {
  readonly options: ReplicaPlan['options'];
  readonly kinds: readonly LockKind[];
  readonly idleMs: number;
  /** Few tasks want the locks, which often rest. */
  readonly isQuiet: boolean;
  readonly stepMs: number;
}

/** The share of stories that are quiet. */
const QUIET_PERCENT = 25;

/** What all replicas have in common. */
function drawShared(random: Random, { tickTimeMs, observer }: ServersPlan): Shared {
  const reportMs = observer === 'of a follower' ? 2 * tickTimeMs : tickTimeMs;
  const isSingle = random.chance(20);
  const isQuiet = random.chance(QUIET_PERCENT);
  const kinds = LOCK_KINDS.filter(() => random.chance(isQuiet ? 10 : 50));
  const usual: readonly LockKind[] = ['write', 'several', 'permits', 'leader', 'run'];
  const possible = isSingle ? kinds.filter((kind) => usual.includes(kind)) : kinds;
  return {
    options: {
      sessionTimeoutMs: random.between(LEAST_TICKS * 2, 12) * (reportMs / 2),
      tickTimeMs: reportMs,
      dialect: isSingle ? 'single-node' : 'curator-rw',
      ...(random.chance(20) ? { release: 'background' as const } : {}),
    },
    kinds: possible.includes('write') ? possible : ['write', ...possible],
    isQuiet,
    idleMs: isQuiet ? random.pick([300, 1_500]) : random.pick([5, 50, 200]),
    stepMs: random.pick([3, 10, 50]),
  };
}

const KEEP_MS = [0, 50, 500, 3_000];
const HANDOVERS = [2, 20, 200];

function drawReplica(
  random: Random,
  place: number,
  { options, kinds, isQuiet, idleMs, stepMs }: Shared,
  wishes: Wishes,
): ReplicaPlan {
  const hasCohort = random.chance(isQuiet ? 80 : 50) && options.dialect === 'curator-rw';
  const limits = { maxHandovers: random.pick(HANDOVERS), keepMs: random.pick(KEEP_MS) };
  return {
    name: ['one', 'two', 'three', 'four'][place] ?? `more${place}`,
    options: { ...options, ...(hasCohort ? { cohort: limits } : {}) },
    tasks: Object.fromEntries(
      // The calls of one process lead together.
      kinds.map((kind) => [kind, kind === 'leader' ? 1 : random.between(1, isQuiet ? 1 : 3)]),
    ),
    idleMs: wishes.idleMs ?? idleMs,
    marginMs: 0,
    stepMs,
    clockMs: random.between(0, 1_000_000),
    aheadMs: random.between(-5_000, 5_000),
    rate: 1 + random.between(-50, 50) / 1e6,
  };
}

/** How many kinds of faults a story has: many at once hide one another. */
const KINDS = [1, 1, 2, 3, 6];
/** The mean time between two faults. */
const MEANS_MS = [200, 500, 2_000];
/** The share of faults that wait for what a task does, in percent. */
const UPON_PERCENT = [0, 30, 80];
/** The share of faults that meet holders which stay, in percent. */
const CLING_PERCENT = 40;
const MOMENTS: readonly Moment[] = ['asked', 'entered', 'left'];

function drawFaults(
  random: Random,
  workMs: number,
  { options: { sessionTimeoutMs: sessionMs = 0 }, isQuiet }: Shared,
  { faults }: Wishes,
): FaultPlan[] {
  const kinds = faults ?? random.shuffle(FAULT_KINDS).slice(0, random.pick(KINDS));
  const meanMs = random.pick(MEANS_MS);
  const uponPercent = random.pick(UPON_PERCENT);
  const plans: FaultPlan[] = [];
  for (let at = random.between(1, 2 * meanMs); at < workMs; at += random.between(1, 2 * meanMs)) {
    const upon = drawMoment(random);
    const ms = drawDuration(random, sessionMs);
    plans.push({
      ...{ kind: random.pick(kinds), at, ms, target: random.between(0, 999) },
      ...(random.chance(isQuiet ? 0 : CLING_PERCENT) ? { clingMs: ms + sessionMs } : {}),
      choices: Array.from({ length: 4 }, () => random.between(0, 999)),
      ...(random.chance(uponPercent) ? { upon } : {}),
    });
  }
  return plans;
}

/** Most messages take less than two milliseconds. */
function drawMoment(random: Random): FaultPlan['upon'] {
  const afterMs = random.pick([random.between(0, 40) / 10, random.between(0, 40)]);
  return { moment: random.pick(MOMENTS), afterMs };
}

/** Short; within a session; about as long as one; or for longer. */
function drawDuration(random: Random, sessionMs: number): number {
  const percent = random.pick([random.between(10, 80), random.between(80, 130), 250]);
  return random.pick([random.between(1, 50), Math.round((sessionMs * percent) / 100)]);
}

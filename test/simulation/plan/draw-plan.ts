import { LOCK_KINDS, type LockKind } from '../../workers/soak/protocol.js';
import { Random } from '../../workers/soak/random.js';
import { withContenders } from './draw-contenders.js';
import { drawContents, withContents } from './draw-contents.js';
import { drawFaults } from './draw-faults.js';
import { drawServers } from './draw-servers.js';
import type { Plan, ReplicaPlan, ServersPlan } from './plan.js';

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

/** Mostly short: what has come to rest again is checked most thoroughly. */
const WORK_MS = [1_000, 2_000, 4_000, 8_000];
/** Shorter sessions have such a short lease that no lock can be held. */
const LEAST_TICKS = 2;
const MOST_TICKS = [6, 6, 12];
/** The share of stories in which few faults part processes or servers from the others, in percent. */
const PARTED_PERCENT = 40;
/** How many sessions such a story lasts. */
const SESSIONS = 6;

/**
 * Draws a story. Each draws which kinds of faults and of calls there are at all: where all of them
 * come at once, some hide others.
 */
export function drawPlan(seed: number, wishes: Wishes = {}): Plan {
  const random = new Random(seed);
  const isParted = random.chance(PARTED_PERCENT);
  const servers = drawServers(random, { wanted: wishes.voters, areSeveral: isParted });
  const shared = drawShared(random, servers, isParted);
  const { isQuiet, clingPercent, options } = shared;
  const { sessionTimeoutMs: sessionMs = 0 } = options;
  const keys = ['a', 'b', 'c'].slice(0, isQuiet ? 1 : random.pick([1, 1, 2, 3]));
  const contents = drawContents(random.fork(), options, servers);
  const count = random.between(2, 4);
  const replicas = Array.from({ length: count }, (_, place) =>
    withContents(random.fork(), drawReplica(random, place, shared, wishes), contents),
  );
  const workMs = wishes.workMs ?? (isParted ? SESSIONS * sessionMs : random.pick(WORK_MS));
  const { voters } = servers;
  const hasUsers = contents.userKinds.length > 0;
  const { calm, faults: kinds } = wishes;
  const faults = calm
    ? []
    : drawFaults(random, { workMs, sessionMs, voters, clingPercent, isParted, hasUsers, kinds });
  const operatorLateMs = random.pick([0, 0, 10, 50]);
  const plan = { seed, workMs, keys, servers, replicas, operatorLateMs, faults };
  return withContenders(random.fork(), plan);
}

interface Shared {
  readonly options: ReplicaPlan['options'];
  readonly kinds: readonly LockKind[];
  /** One of these for each process. */
  readonly idleMs: readonly number[];
  /** Few tasks want the locks, which often rest. */
  readonly isQuiet: boolean;
  readonly clingPercent: number;
  readonly stepMs: number;
}

/** The share of stories that are quiet. */
const QUIET_PERCENT = 25;
const QUIET_IF_PARTED_PERCENT = 70;
/** How likely each kind of task is there. */
const QUIET_KINDS_PERCENT = 25;
/** The share of faults that meet holders which stay, in percent. */
const CLING_PERCENT = 40;
const CLING_IF_QUIET_PERCENT = [0, 40, 90];
const CLING_IF_PARTED_PERCENT = [40, 90];
/** The share of stories whose processes are not equally busy. */
const UNEQUAL_PERCENT = 30;

/** What all replicas have in common. */
function drawShared(
  random: Random,
  { tickTimeMs, observer }: ServersPlan,
  isParted: boolean,
): Shared {
  const reportMs = observer === 'of a follower' ? 2 * tickTimeMs : tickTimeMs;
  const isSingle = random.chance(20);
  const isQuiet = random.chance(isParted ? QUIET_IF_PARTED_PERCENT : QUIET_PERCENT);
  const kinds = LOCK_KINDS.filter(() => random.chance(isQuiet ? QUIET_KINDS_PERCENT : 50));
  const usual: readonly LockKind[] = ['write', 'several', 'permits', 'leader', 'run'];
  const possible = isSingle ? kinds.filter((kind) => usual.includes(kind)) : kinds;
  const sessionMs = random.between(LEAST_TICKS * 2, 2 * random.pick(MOST_TICKS)) * (reportMs / 2);
  // Where little happens for long, tasks need not do much.
  const busyMs = isParted ? [Math.round(sessionMs / 40), 200] : [5, 50, 200];
  const idleMs = random.pick(isQuiet ? [300, 1_500] : busyMs);
  return {
    options: {
      sessionTimeoutMs: sessionMs,
      tickTimeMs: reportMs,
      dialect: isSingle ? 'single-node' : 'curator-rw',
      ...(random.chance(20) ? { release: 'background' as const } : {}),
    },
    kinds: possible.includes('write') ? possible : ['write', ...possible],
    isQuiet,
    idleMs: random.chance(UNEQUAL_PERCENT) ? [busyMs[0]!, 200, 1_500] : [idleMs],
    clingPercent: drawClingPercent(random, isQuiet, isParted),
    // Holders stay for long there.
    stepMs: isParted ? Math.round(sessionMs / 40) : random.pick([5, 20, 50]),
  };
}

function drawClingPercent(random: Random, isQuiet: boolean, isParted: boolean): number {
  if (isParted) return random.pick(CLING_IF_PARTED_PERCENT);
  return isQuiet ? random.pick(CLING_IF_QUIET_PERCENT) : CLING_PERCENT;
}

const KEEP_MS = [0, 50, 500, 3_000];
const KEEP_IF_QUIET_MS = [0, 500, 3_000, 10_000];
const HANDOVERS = [1, 2, 20, 200];
const TENURES_MS = [20, 100, 100, 500];

function drawReplica(
  random: Random,
  place: number,
  { options, kinds, isQuiet, idleMs, stepMs }: Shared,
  wishes: Wishes,
): ReplicaPlan {
  const hasCohort = random.chance(isQuiet ? 80 : 50) && options.dialect === 'curator-rw';
  const limits = {
    maxHandovers: random.pick(HANDOVERS),
    maxTenureMs: random.pick(TENURES_MS),
    keepMs: random.pick(isQuiet ? KEEP_IF_QUIET_MS : KEEP_MS),
  };
  return {
    name: ['one', 'two', 'three', 'four'][place] ?? `more${place}`,
    options: { ...options, ...(hasCohort ? { cohort: limits } : {}) },
    tasks: Object.fromEntries(
      // The calls of one process lead together.
      kinds.map((kind) => [kind, kind === 'leader' ? 1 : random.between(1, isQuiet ? 1 : 3)]),
    ),
    idleMs: wishes.idleMs ?? random.pick(idleMs),
    marginMs: 0,
    stepMs,
    clockMs: random.between(0, 1_000_000),
    aheadMs: random.between(-5_000, 5_000),
    rate: 1 + random.between(-50, 50) / 1e6,
  };
}

import { LOCK_KINDS, type LockKind } from '../../workers/soak/protocol.js';
import { Random } from '../../workers/soak/random.js';
import { withContenders } from './draw-contenders.js';
import { drawContents, withContents } from './draw-contents.js';
import { drawFaults } from './draw-faults.js';
import { drawServers } from './draw-servers.js';
import type { Plan, ReplicaPlan, ServersPlan } from './plan.js';

/** Properties of a plan that the caller may fix. */
export interface Wishes {
  /** The number of voting servers. */
  readonly voters?: number | undefined;
  readonly faults?: readonly string[] | undefined;
  /** No faults occur. */
  readonly calm?: boolean | undefined;
  readonly workMs?: number | undefined;
  /** The maximum pause of a task between two turns, in milliseconds. */
  readonly idleMs?: number | undefined;
}

/** Mostly short, because the checks are most thorough once everything has come to rest. */
const WORK_MS = [1_000, 2_000, 4_000, 8_000];
/** With shorter sessions, the lease is too short to hold a lock. */
const LEAST_TICKS = 2;
const MOST_TICKS = [6, 6, 12];
/** The percentage of stories in which few faults isolate processes or servers. */
const PARTED_PERCENT = 40;
/** The length of such a story, in sessions. */
const SESSIONS = 6;

/**
 * Draws a story. Each story draws the kinds of faults and calls that occur in it at all: if all
 * occurred at once, some would mask others.
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
  /** One value for each process. */
  readonly idleMs: readonly number[];
  /** Whether few tasks compete, so that the locks are often free. */
  readonly isQuiet: boolean;
  readonly clingPercent: number;
  readonly stepMs: number;
}

/** The percentage of stories that are quiet. */
const QUIET_PERCENT = 25;
const QUIET_IF_PARTED_PERCENT = 70;
/** The percentage of the kinds of tasks that a quiet story has. */
const QUIET_KINDS_PERCENT = 25;
/** The percentage of faults during which holders keep their locks. */
const CLING_PERCENT = 40;
const CLING_IF_QUIET_PERCENT = [0, 40, 90];
const CLING_IF_PARTED_PERCENT = [40, 90];
/** The percentage of stories in which some processes are busier than others. */
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
  // Long stories with few faults need less activity.
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
    // In those stories, holders keep their locks for long.
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
      // The candidates of one process share one term, so one task is enough.
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

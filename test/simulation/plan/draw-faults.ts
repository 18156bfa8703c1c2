import { FAULT_KINDS } from '../faults/catalogue.js';
import type { Random } from '../../workers/soak/random.js';
import type { FaultPlan, Moment } from './plan.js';

export interface FaultsToDraw {
  readonly workMs: number;
  readonly sessionMs: number;
  readonly voters: number;
  /** The percentage of faults during which holders keep their locks. */
  readonly clingPercent: number;
  /** Whether faults are few and isolate processes or servers for about a session or longer. */
  readonly isParted: boolean;
  /** Whether there are users of `ZkClient`, for whom it matters whether a request was executed. */
  readonly hasUsers: boolean;
  /** Restricts the faults to these kinds. @default all */
  readonly kinds?: readonly string[] | undefined;
}

/** The number of kinds of faults in a story. Many kinds at once mask each other. */
const KINDS = [1, 1, 2, 3, 6];
/**
 * The mean time between two faults, and between two faults that affect only one lock or connection.
 */
const MEANS_MS = [200, 500, 2_000];
const MEANS_IF_SMALL_MS = [100, 200, 500];
/** The percentage of faults that wait for an event of a task. */
const UPON_PERCENT = [0, 30, 80];
const UPON_IF_PARTED_PERCENT = [30, 90];
const MOMENTS: readonly Moment[] = ['asked', 'entered', 'entered', 'left'];

/**
 * Faults that isolate holders from the servers, and other faults that may occur at the same time.
 */
const PARTING = {
  servers: [
    'leader cut off from the others',
    'leader cut off from the others',
    'server cut off from the others',
    'server cut off from the others',
    'leader stopped',
    'leader crashed',
  ],
  processes: ['cut off from all servers', 'connections silent'],
  besides: ['connections reset', 'lock broken', 'server hung', 'slow network'],
} as const;
/** The number of kinds of `PARTING` faults in a story. */
const PARTING_KINDS = 2;
const BESIDES_PERCENT = 30;

/** Without an answer, a client does not know whether its request was executed. */
const LOSING_ANSWERS = [
  'connection lost just after a request',
  'request under way for long',
  'connections cut within a frame',
  'connections reset',
  'server hung',
  'server crashed',
];
const LOSING_IF_USERS_PERCENT = 70;
/** Faults that take a lock away, and those that keep its holder from noticing. */
const OPERATING = [
  'lock broken',
  'lock broken of a holder that does not hear',
  'lock broken of a holder that does not hear',
  'lock node deleted',
  'lock asked back',
  'event loop hung',
  'process stopped',
];
const OPERATING_PERCENT = 35;

/** These mask each other less than other faults do. */
const SMALL: readonly string[] = [...LOSING_ANSWERS, ...OPERATING];

export function drawFaults(random: Random, toDraw: FaultsToDraw): FaultPlan[] {
  const { workMs, sessionMs, isParted, clingPercent } = toDraw;
  const kinds = toDraw.kinds ?? drawKinds(random, toDraw);
  const areSmall = kinds.every((kind) => SMALL.includes(kind));
  const usualMs = random.pick(areSmall ? MEANS_IF_SMALL_MS : MEANS_MS);
  const meanMs = isParted ? 1.5 * sessionMs : usualMs;
  const uponPercent = random.pick(isParted ? UPON_IF_PARTED_PERCENT : UPON_PERCENT);
  const plans: FaultPlan[] = [];
  for (let at = random.between(1, 2 * meanMs); at < workMs; at += random.between(1, 2 * meanMs)) {
    const upon = drawMoment(random);
    const ms = isParted ? drawParting(random, sessionMs) : drawDuration(random, sessionMs);
    plans.push({
      ...{ kind: random.pick(kinds), at, ms, target: random.between(0, 999) },
      ...(random.chance(clingPercent) ? { clingMs: ms + sessionMs } : {}),
      choices: Array.from({ length: 4 }, () => random.between(0, 999)),
      ...(random.chance(uponPercent) ? { upon } : {}),
    });
  }
  return plans;
}

function drawKinds(random: Random, toDraw: FaultsToDraw): readonly string[] {
  const { isParted, voters } = toDraw;
  if (!isParted) return random.shuffle(kindsFor(random, toDraw)).slice(0, random.pick(KINDS));
  const { servers, processes, besides } = PARTING;
  const possible = voters > 1 ? [...servers, ...processes] : processes;
  const parting = random.shuffle(possible).slice(0, PARTING_KINDS);
  return random.chance(BESIDES_PERCENT) ? [...parting, random.pick(besides)] : parting;
}

/** Some kinds find most in combination, and would seldom coincide if each were drawn alone. */
function kindsFor(random: Random, { hasUsers }: FaultsToDraw): readonly string[] {
  if (hasUsers && random.chance(LOSING_IF_USERS_PERCENT)) return LOSING_ANSWERS;
  return random.chance(OPERATING_PERCENT) ? OPERATING : FAULT_KINDS;
}

/** Most messages take less than two milliseconds. */
function drawMoment(random: Random): FaultPlan['upon'] {
  const afterMs = random.pick([random.between(0, 40) / 10, random.between(0, 40)]);
  return { moment: random.pick(MOMENTS), afterMs };
}

/** Short, shorter than a session, about as long as a session, or longer. */
function drawDuration(random: Random, sessionMs: number): number {
  const percent = random.pick([random.between(10, 80), random.between(80, 130), 250]);
  return random.pick([random.between(1, 50), Math.round((sessionMs * percent) / 100)]);
}

function drawParting(random: Random, sessionMs: number): number {
  return Math.round((sessionMs * random.between(80, 400)) / 100);
}

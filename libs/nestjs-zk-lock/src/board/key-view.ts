import type { CohortSight, LocksOptions, SemaphoreOptions } from 'zk-locks';
import { cleanText, nameProcess, type Problem, type TreeKey } from 'zk-locks/inspect';
import { type OwnSight } from 'zk-locks/framework';
import type { BoardKey } from './board-api.js';
import { breakCommand } from './break-command.js';
import { contenderView, holderView, kindOf, type Sight, stateOf } from './contender-view.js';
import { PAGE_ROWS } from './key-rows.js';
import { problemView } from './problem-view.js';

/** What is known about a key besides its nodes. */
export interface KeyContext {
  readonly own: ReturnType<OwnSight>;
  readonly problems: readonly Problem[];
  /** By ZooKeeper's clock, in milliseconds. */
  readonly now: number;
  readonly options: LocksOptions;
  /** The permits of a semaphore that this application declares. */
  readonly permits: SemaphoreOptions['permits'] | undefined;
}

export function keyView(
  key: TreeKey,
  { own, problems, permits, now, options }: KeyContext,
  offset: number,
  sight: Sight,
): Omit<BoardKey, 'revision'> {
  const { holders, waiters, lastSequence, lastRun } = key;
  const state = stateOf(key);
  return {
    key: key.key,
    kind: own.election ? 'election' : kindOf(key),
    path: key.path,
    ...(state && { state }),
    holders: holders.slice(0, PAGE_ROWS).map((one) => {
      const view = holderView(one, sight);
      const command = breakCommand(key.key, view, options);
      return { ...view, ...(command !== undefined && { command }) };
    }),
    totalHolders: key.total - key.waiting,
    waiters: waiters.slice(offset, offset + PAGE_ROWS).map((one) => contenderView(one, sight)),
    totalWaiting: key.waiting,
    ...ownSight(own, now),
    ...(key.kind === 'semaphore' && { permits: permitsView(key, permits) }),
    ...(lastSequence !== undefined && { lastSequence }),
    problems: problems.map((problem) => problemView(problem, now)),
    ...(lastRun && { lastRun: runView(lastRun, own) }),
  };
}

/** ZooKeeper may have removed the empty directory of a key that was in use a moment ago. */
export const nothingAt = (
  key: string,
  why: Pick<BoardKey, 'isReading' | 'isUnknown'>,
): Omit<BoardKey, 'revision'> => ({
  ...why,
  key,
  kind: 'lock',
  path: '',
  holders: [],
  totalHolders: 0,
  waiters: [],
  totalWaiting: 0,
  problems: [],
});

/** Whether the process keeps the lock while no call uses it. */
export function isKept({ members, waiting }: CohortSight): boolean {
  return members.length === 0 && waiting === 0;
}

function ownSight({ cohort, election }: KeyContext['own'], now: number): Partial<BoardKey> {
  const term = election?.term;
  /** ZooKeeper's clock minus the clock of this process, by which its own calls are timed. */
  const offset = now - Date.now();
  return {
    ...(cohort && {
      kept: isKept(cohort),
      cohort: {
        members: cohort.members.map(({ mode, label, fencingToken, since }) => ({
          mode,
          ...(label !== undefined && { label: cleanText(label) }),
          token: String(fencingToken),
          since: since.getTime() + offset,
        })),
        waiting: cohort.waiting,
      },
    }),
    ...(election && {
      election: {
        isCandidate: true,
        isLeader: election.isLeader,
        ...(term && { term: String(term.fencingToken) }),
      },
    }),
  };
}

function permitsView(
  { permits: agreed, total: contenders, waiting }: TreeKey,
  given: SemaphoreOptions['permits'] | undefined,
): NonNullable<BoardKey['permits']> {
  const total = agreed ?? (typeof given === 'number' ? given : undefined);
  return {
    ...(total !== undefined && { total }),
    taken: contenders - waiting,
    ...(typeof given === 'object' && { sharedCount: given.sharedCount }),
  };
}

function runView(
  run: NonNullable<TreeKey['lastRun']>,
  { job }: KeyContext['own'],
): NonNullable<BoardKey['lastRun']> {
  const { since, until, outcome, everyMs, nextDue } = run;
  return {
    ...{ by: nameProcess(run), outcome, since: since.getTime() },
    ...(until && { until: until.getTime() }),
    ...{ everyMs, nextDue: nextDue.getTime() },
    ...(job && { results: job.results }),
  };
}

import type { Stall, Violation } from '../../soak/history/history.js';
import type { Attempt, UserCall, Watched } from '../story/users/ledger.js';
import { COUNTERS, PAIR, RELAY } from '../story/users/paths.js';

export interface UserHistory {
  readonly attempts: readonly Attempt[];
  readonly contradictions: readonly string[];
  readonly stalls: readonly Stall[];
  /** When each killed process died. */
  readonly deaths: ReadonlyMap<string, number>;
  /** The data of a znode at the end of the story, or undefined if it does not exist. */
  readonly dataOf: (path: string) => string | undefined;
}

/**
 * A write that succeeded was executed once, and a refused write was not executed. Of the writes
 * with an unknown outcome, any number may have been executed.
 *
 * @param lateMs how late an answer may be, in addition to stalls of the process
 */
export function checkUsers(history: UserHistory, lateMs: number): Violation[] {
  const { contradictions } = history;
  return [
    ...COUNTERS.flatMap((path) => counted(history, 'add', path, path)),
    ...PAIR.flatMap((path) => counted(history, 'add to both', PAIR[0], path)),
    ...sameVersion(history),
    ...relayed(history),
    ...contradictions.map((message) => violation('users', message)),
    ...history.attempts.flatMap((attempt) => lateness(attempt, history, lateMs)),
  ];
}

/** An active watch must have reported the last change to its user. */
export function checkWatches(
  watches: readonly Watched[],
  valueOf: (path: string) => string | undefined,
): Violation[] {
  return watches
    .filter(({ isOver }) => !isOver)
    .flatMap(({ process, path: watched, isRecursive, seen }) =>
      (seen.size > 0 ? [...seen] : [[watched, 'unheard of'] as const]).flatMap(([path, value]) => {
        const present = valueOf(path);
        if (value === present) return [];
        const how = isRecursive ? ', recursively' : '';
        const message = `${process} watches ${watched}${how}, and believes that ${path} is "${value ?? 'missing'}", which is "${present ?? 'missing'}"`;
        return [violation('watches', message)];
      }),
    );
}

function counted(
  history: UserHistory,
  call: UserCall,
  path: string,
  counter: string,
): readonly Violation[] {
  const value = Number(history.dataOf(counter) ?? 0);
  const { done, maybe } = count(history, call, path);
  if (value >= done && value <= done + maybe) return [];
  const message = `${counter} is ${value} after ${done} writes that were done, and ${maybe} that may have been done`;
  return [violation('users', message)];
}

/** Each write of a counter produces a different version. */
function sameVersion({ attempts }: UserHistory): readonly Violation[] {
  const writers = new Map<string, Attempt>();
  const violations: Violation[] = [];
  for (const attempt of attempts) {
    const { call, path, version, process } = attempt;
    if (call !== 'add' || version === undefined) continue;
    const before = writers.get(`${path} ${version}`);
    if (before) {
      const message = `${process} and ${before.process} were both told that they have written version ${version} of ${path}`;
      violations.push(violation('users', message));
    }
    writers.set(`${path} ${version}`, attempt);
  }
  return violations;
}

/** The creations and deletions must add up to whether the znode exists. */
function relayed(history: UserHistory): readonly Violation[] {
  const created = count(history, 'create', RELAY);
  const deleted = count(history, 'delete', RELAY);
  const isThere = history.dataOf(RELAY) === undefined ? 0 : 1;
  const least = created.done - deleted.done - deleted.maybe;
  const most = created.done + created.maybe - deleted.done;
  if (least <= isThere && isThere <= most) return [];
  const message = `${RELAY} was created ${created.done} times (and perhaps ${created.maybe} more) and deleted ${deleted.done} times (and perhaps ${deleted.maybe} more), and is ${isThere ? 'there' : 'gone'}`;
  return [violation('users', message)];
}

function count({ attempts }: UserHistory, call: UserCall, path: string) {
  let done = 0;
  let maybe = 0;
  for (const attempt of attempts) {
    if (attempt.call !== call || attempt.path !== path) continue;
    if (attempt.outcome === 'done') done++;
    // Another user may have recreated the znode with the same version in between.
    if (attempt.outcome === 'done' && call === 'delete' && attempt.wasCut) maybe++;
    if (attempt.outcome === 'maybe' || attempt.outcome === undefined) maybe++;
  }
  return { done, maybe };
}

function lateness(
  { process, call, path, timeoutMs, askedAt, answeredAt }: Attempt,
  { deaths, stalls }: UserHistory,
  lateMs: number,
): readonly Violation[] {
  const what = `a call of ${process} (${call}, ${path})`;
  if (answeredAt === undefined) {
    return deaths.has(process) ? [] : [violation('waiting', `${what} was never answered`)];
  }
  const stalledMs = stalls
    .filter((stall) => stall.process === process && stall.at > askedAt && stall.from < answeredAt)
    .reduce((sum, stall) => sum + stall.at - stall.from, 0);
  const lateBy = answeredAt - askedAt - timeoutMs - stalledMs;
  if (lateBy <= lateMs) return [];
  return [violation('waiting', `${what} was answered ${lateBy.toFixed(0)} ms late`)];
}

function violation(promise: string, message: string): Violation {
  return { promise, message };
}

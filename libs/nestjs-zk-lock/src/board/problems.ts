import type { Deadlock } from 'zk-locks';
import {
  countText,
  deadlockRemedy,
  cleanText,
  shownText,
  isNearCounterEnd,
  nameProcess,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/internal';
import type { BoardProblem } from './board-api.js';
import type { ResolvedBoardOptions } from './board.options.js';
import type { BoardSnapshot } from './board-source.js';
import { isElection, nameOf } from './contender-view.js';

const MOST_PROBLEMS = 50;

/** From so many times the limit on, a wait or a hold is serious. */
const SERIOUS_TIMES = 10;

type Limits = Pick<ResolvedBoardOptions, 'longWaitMs' | 'longHoldMs'>;

interface Found extends BoardProblem {
  /** How bad it is among those of its kind. */
  readonly weight: number;
}

const ORDER: readonly BoardProblem['kind'][] = [
  ...(['deadlock', 'counter-end', 'foreign-node', 'unreadable', 'long-hold', 'long-wait'] as const),
];

/**
 * What an operator should look at, the worst first. Pauses after each key.
 *
 * @param now by ZooKeeper's clock, in milliseconds
 */
export function* problemsOf(
  { keys, deadlocks, areDeadlocksCut, areKeysCut }: BoardSnapshot,
  now: number,
  limits: Limits,
): Generator<undefined, BoardProblem[]> {
  let worst = deadlocks.map(deadlockProblem);
  if (areDeadlocksCut) worst.push(TOO_MANY_WAITERS);
  if (areKeysCut) worst.push(TOO_MANY_KEYS);
  for (const key of keys.values()) {
    worst.push(...problemsOfKey(key, now, limits));
    if (worst.length > 2 * MOST_PROBLEMS) worst = worstOf(worst);
    yield;
  }
  return worstOf(worst).map(({ weight: _, ...problem }) => ({
    ...problem,
    text: cleanText(problem.text),
  }));
}

function worstOf(problems: readonly Found[]): Found[] {
  const rank = ({ severity, kind }: Found): number =>
    (severity === 'serious' ? 0 : ORDER.length) + ORDER.indexOf(kind);
  return problems
    .toSorted((a, b) => rank(a) - rank(b) || b.weight - a.weight)
    .slice(0, MOST_PROBLEMS);
}

const TOO_MANY_WAITERS: Found = {
  ...{ kind: 'deadlock', severity: 'warning', weight: 0 },
  text: 'Too many waiters hold other locks to tell all deadlocks: more than 1,000.',
  remedy: 'Look at the keys with the longest queues. Nodes of strangers may be among the waiters.',
};

const TOO_MANY_KEYS: Found = {
  ...{ kind: 'unreadable', severity: 'serious', weight: Infinity },
  text: 'Not all keys are shown: there are too many.',
  remedy: 'Delete directories that no program uses, or give the locks a root of their own.',
};

/** The most calls of a circle that are named. */
const MOST_NAMED = 8;

export function describeDeadlock(deadlock: Deadlock): string {
  const calls = deadlock
    .slice(0, MOST_NAMED)
    .map(
      ({ holder, holds, waitsFor }) =>
        `${nameProcess(holder)} holds "${shownText(holds)}" and waits for "${shownText(waitsFor)}"`,
    );
  const more = deadlock.length - MOST_NAMED;
  return cleanText([...calls, ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
}

function deadlockProblem(deadlock: Deadlock): Found {
  const [first] = deadlock;
  return {
    ...{ kind: 'deadlock', severity: 'serious', weight: deadlock.length },
    ...(first && { key: first.waitsFor }),
    text: `${deadlock.length === 1 ? 'A call waits for itself' : `${deadlock.length} calls wait for each other`}: ${describeDeadlock(deadlock)}.`,
    remedy: `They end when they time out. ${deadlockRemedy(deadlock)}`,
  };
}

function* problemsOfKey(key: TreeKey, now: number, limits: Limits): Iterable<Found> {
  const about = { key: key.key, weight: 0 };
  if (key.isHidden) {
    yield {
      ...{ ...about, kind: 'unreadable', severity: 'warning' },
      text: 'Its directory is closed to the user of this application.',
      remedy: 'Compare the `credentials` and `acl` of the processes that use the key.',
    };
  }
  if (key.unread > 0) {
    yield {
      ...{ ...about, kind: 'unreadable', severity: 'warning', weight: key.unread },
      text: `Too many nodes: ${key.unread} of them were not read, and are not shown.`,
      remedy: 'Find out who makes them. Nodes of other programs belong to another root.',
    };
  }
  const [stranger] = key.strangers;
  if (stranger !== undefined || key.dialects.length > 1) yield mixed(key, stranger);
  const made = [...key.holders, ...key.waiters].filter(({ isEphemeral }) => !isEphemeral);
  const [first] = made;
  if (first) yield ownerless(key, first, made.length, now);
  if (key.lastSequence !== undefined && isNearCounterEnd(key.lastSequence)) {
    yield {
      ...{ ...about, kind: 'counter-end', severity: 'serious', weight: key.lastSequence },
      text: `The sequence counter of its directory is at ${key.lastSequence}; at 2147483647 all calls are refused.`,
      remedy: 'Drain the directory: see "Draining a directory" in docs/operating.md.',
    };
  }
  if (!isElection(key)) yield* longOnes(key, now, limits);
}

function mixed({ key, dialects, strangerCount }: TreeKey, stranger: string | undefined): Found {
  const what =
    stranger === undefined
      ? `Its directory has nodes of several dialects: ${dialects.join(', ')}`
      : `Its directory has ${countText(strangerCount, 'child that is no lock node', 'children that are no lock nodes')}, such as "${stranger}"`;
  return {
    ...{ key, kind: 'unreadable', severity: 'serious', weight: strangerCount },
    text: `${what}. Calls for it are refused.`,
    remedy: 'Give the locks a root of their own, and all processes one dialect.',
  };
}

function ownerless({ key }: TreeKey, contender: TreeContender, count: number, now: number): Found {
  const more = count > 1 ? `, nor ${count - 1} more` : '';
  return {
    ...{ key, kind: 'foreign-node', severity: 'serious' },
    weight: now - contender.queuedAt.getTime(),
    text: `No session owns ${nameOf(contender)}${more}: it stays, and blocks the key, until it is deleted.`,
    remedy: 'Find out who made it, and delete it, by Break or with zkCli.sh.',
  };
}

function* longOnes(key: TreeKey, now: number, { longHoldMs, longWaitMs }: Limits): Iterable<Found> {
  const [holder] = key.holders.filter(({ isEphemeral }) => isEphemeral);
  const [waiter] = key.waiters;
  const waiting = key.total - key.holders.length;
  const calls = waiting === 1 ? '1 call waits' : `${waiting} calls wait`;
  const heldMs = holder ? now - holder.queuedAt.getTime() : 0;
  const waitedMs = waiter ? now - waiter.queuedAt.getTime() : 0;
  // A lock that its process may keep unused is not long held until another process waits.
  if (holder && heldMs > longHoldMs && (waiter !== undefined || !holder.holder?.keepMs)) {
    yield {
      ...{ key: key.key, kind: 'long-hold', weight: heldMs },
      severity: waiter && heldMs > SERIOUS_TIMES * longHoldMs ? 'serious' : 'warning',
      text: `${sentence(nameOf(holder))} holds it, ${holder.holder?.cohort ? 'for several calls' : `and asked for it ${duration(heldMs)} ago`}.`,
      remedy: 'See what it does. Revoke asks for the lock; maxHoldMs would end such work.',
    };
  }
  if (waiter && waitedMs > longWaitMs) {
    yield {
      ...{ key: key.key, kind: 'long-wait', weight: waitedMs },
      severity: waitedMs > SERIOUS_TIMES * longWaitMs ? 'serious' : 'warning',
      text: `${sentence(nameOf(waiter))} has waited for ${duration(waitedMs)}; ${calls} in all.`,
      remedy: 'See who holds it, and for how long.',
    };
  }
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

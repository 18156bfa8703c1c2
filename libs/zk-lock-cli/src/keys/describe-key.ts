import type { Deadlock } from 'zk-locks';
import {
  countText,
  shellWord,
  shownText,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/internal';
import { nameHolder } from '../explain.js';

/** From here on the counter of a directory is near its end, 2147483647. */
export const COUNTER_WARNS_FROM = 2_000_000_000;

/** `write`, `3 read`, `2 of 4 permits`. */
export function describeMode({ kind, holders, permits }: TreeKey): string {
  const [first] = holders;
  if (kind === 'semaphore') {
    return permits === undefined
      ? countText(holders.length, 'permit')
      : `${holders.length} of ${countText(permits, 'permit')}`;
  }
  if (first === undefined) return '-';
  return holders.length === 1 ? first.mode : `${holders.length} ${first.mode}`;
}

/** Who it is, as one text for people. */
export function nameContender({ holder, text, isEphemeral }: TreeContender): string {
  const name = holder ? nameHolder(holder) : (text ?? 'a program that does not say its name');
  return isEphemeral ? name : `${name} (made by hand: no session owns it)`;
}

/** The most nodes that were made by hand which are named. */
const MOST_BY_HAND = 10;

/** What is wrong with a key, and what to do about it. */
export interface KeyProblem {
  readonly problem: string;
  readonly remedy: string;
}

export function problemsOf(found: TreeKey): KeyProblem[] {
  const { dialects, strangers, isHidden, unread, lastSequence = 0, holders, path, key } = found;
  const problems: KeyProblem[] = [];
  if (dialects.length > 1) {
    problems.push({
      problem: `has nodes of several dialects: ${dialects.toSorted().join(', ')}`,
      remedy: 'Their programs do not exclude each other. Set one dialect in all of them.',
    });
  }
  if (strangers.length > 0) {
    problems.push({
      problem: `has nodes that are no locks: ${strangers.slice(0, 3).join(', ')}`,
      remedy: `All calls for the key are refused. Remove them from ${path}, or give the locks a root of their own.`,
    });
  }
  if (unread > 0) {
    problems.push({
      problem: `has too many nodes: ${unread} were not read`,
      remedy: `Find out who makes them: nodes of other programs do not belong below ${path}.`,
    });
  }
  if (isHidden) {
    problems.push({
      problem: 'is hidden by an ACL',
      remedy: 'Set --user and --password-file to the user of its programs.',
    });
  }
  if (lastSequence >= COUNTER_WARNS_FROM) {
    problems.push({
      problem: `has its counter at ${lastSequence} of 2147483647`,
      remedy: `At the end, all calls for the key are refused. Stop taking "${key}", wait for its holders, and delete the empty ${path}.`,
    });
  }
  const byHand = holders.filter(({ isEphemeral }) => !isEphemeral);
  for (const { node } of byHand.slice(0, MOST_BY_HAND)) {
    problems.push({
      problem: `is held by ${node}, which no session owns`,
      remedy: `It stays until it is deleted. If no program depends on it: zkCli.sh delete ${shellWord(`${path}/${node}`)}`,
    });
  }
  return problems;
}

/** The most calls of a circle that are named. */
const MOST_NAMED = 8;

/** Calls that wait for each other, as a part of a sentence. */
export function describeCircle(circle: Deadlock): string {
  const more = circle.length - MOST_NAMED;
  return [
    ...circle
      .slice(0, MOST_NAMED)
      .map(
        ({ holds, waitsFor }) => `holds "${shownText(holds)}", waits for "${shownText(waitsFor)}"`,
      ),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('; ');
}

/**
 * When its oldest holder got in line, by ZooKeeper's clock; undefined where it is free, and of nodes that
 * serve several calls.
 */
export function heldSince({ holders }: TreeKey): Date | undefined {
  const single = holders.filter(({ holder }) => !holder?.cohort);
  const times = single.map(({ queuedAt }) => queuedAt.getTime());
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** A contender for programs, without its session: who knows that can end it. */
export function contenderForJson(contender: TreeContender): Record<string, unknown> {
  const { session: _, fencingToken, mode, ...facts } = contender;
  return { mode, ...(mode !== 'permit' && { token: fencingToken }), ...facts };
}

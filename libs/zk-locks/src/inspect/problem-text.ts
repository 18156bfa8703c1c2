import { ageText, cleanText, countText, shellWord, shortText } from 'zk-client/recipes';
import { deadlockRemedy, describeDeadlock } from '../lock/deadlock.js';
import { semaphorePathsOf } from '../lock/key-path.js';
import { nameHolder } from '../process-name.js';
import { draining, isLockNode, sequenceOf } from '../nodes/dialect.js';
import { contenderPath } from '../tree/tree-change.js';
import type { TreeContender, TreeKey } from '../tree/tree-key.js';
import type { Problem } from './problems.js';

/** A problem described in whole sentences, each part on one line. */
export interface ProblemText {
  /** What is wrong, without the name of the key. */
  readonly text: string;
  /** What to do. Options are in backquotes. */
  readonly remedy: string;
}

/**
 * Describes a problem, with the same words in all tools.
 *
 * @param age describes a duration; tools that keep counting pass a function that returns a placeholder
 */
export function describeProblem(
  problem: Problem,
  age: (ms: number) => string = ageText,
): ProblemText {
  const [text, remedy] = wordsOf(problem, age);
  return { text: cleanText(text), remedy: cleanText(remedy) };
}

/**
 * The name of a holder or waiter: `billing on web-1 (pid 42) "nightly report"`, or `another program
 * ("10.0.0.7")`.
 */
export function nameContender({ holder, text }: TreeContender): string {
  if (holder) return nameHolder(holder);
  return text === undefined ? 'another program' : `another program ("${shortText(text)}")`;
}

function wordsOf(problem: Problem, age: (ms: number) => string): [text: string, remedy: string] {
  switch (problem.kind) {
    case 'deadlock': {
      const { deadlock } = problem;
      const ends = deadlock.length === 1 ? 'It ends when it times' : 'They end when they time';
      return [
        `There is a ${describeDeadlock(deadlock)}.`,
        `${ends} out. ${deadlockRemedy(deadlock)}`,
      ];
    }
    case 'deadlocks-cut':
      return [
        'More than 1,000 waiters hold other locks, so some deadlocks may be missing here.',
        'Look at the keys with the longest queues. Some of the waiters may be nodes of other programs.',
      ];
    case 'keys-cut':
      return [
        'There are too many keys to show all of them.',
        'Delete directories that no program uses, or give the locks a `root` of their own.',
      ];
    case 'counter-end':
      return [
        `The sequence counter of its directory is at ${problem.lastSequence}. At 2147483647, all calls are refused.`,
        draining(fullDirectoryOf(problem.found, problem.lastSequence)),
      ];
    case 'ownerless': {
      const { found, contender, count } = problem;
      const more = count > 1 ? ` (and ${countText(count - 1, 'more node')})` : '';
      const isLease = contender.mode === 'permit' && !isLockNode(contender.node);
      const harm = isLease ? 'takes a permit' : 'blocks the key';
      return [
        `No session owns the node ${shortText(contender.node)} of ${nameContender(contender)}${more}: it ${harm} until it is deleted.`,
        `Find out who created it. If no program depends on it, delete it: zkCli.sh delete ${shellWord(contenderPath(found, contender))}`,
      ];
    }
    case 'strangers': {
      const { kind, strangers, strangerCount, path } = problem.found;
      const directory = kind === 'semaphore' ? semaphorePathsOf(path).queue : path;
      const children = countText(
        strangerCount,
        'child that is not a lock node',
        'children that are not lock nodes',
      );
      return [
        `${kind === 'semaphore' ? 'Its queue' : 'Its directory'} has ${children}, such as "${shortText(strangers[0] ?? '')}". Calls for it are refused.`,
        `Remove the nodes that do not belong below ${directory}, or give the locks a \`root\` of their own.`,
      ];
    }
    case 'mixed-dialects':
      return [
        `Its directory has nodes of several dialects: ${problem.found.dialects.toSorted().join(', ')}. Calls for it are refused.`,
        'Programs of different dialects do not exclude each other: set one `dialect` in all of them.',
      ];
    case 'other-dialect':
      return [
        `Its nodes have the dialect ${problem.dialect}, but the configured dialect is ${problem.configured}.`,
        `Programs of different dialects do not exclude each other: set \`dialect\` to ${problem.dialect}, or change it in the programs that use the key.`,
      ];
    case 'unread':
      return [
        `It has too many nodes: ${problem.found.unread} of them were not read.`,
        `Find out who creates them. Nodes of other programs do not belong below ${problem.found.path}.`,
      ];
    case 'hidden':
      return [
        'An ACL hides its nodes.',
        'Compare `credentials` and `acl` with those of the processes that use the key.',
      ];
    case 'long-hold': {
      const { contender, heldMs } = problem;
      const advice =
        contender.mode === 'permit'
          ? 'Find out what it is doing, and give such work a time limit.'
          : 'Find out what it is doing. Revoke the lock to ask for its release, or set `maxHoldMs` to limit such work.';
      return [`${nameContender(contender)} ${holdingText(contender, age(heldMs))}.`, advice];
    }
    case 'long-wait': {
      const { contender, waitedMs, waiting } = problem;
      const calls = waiting === 1 ? '1 call is waiting' : `${waiting} calls are waiting`;
      return [
        `${nameContender(contender)} has waited for ${age(waitedMs)}; ${calls} in total.`,
        'Find out who holds it, and for how long.',
      ];
    }
  }
}

/** The directory whose counter has this number: a semaphore has one for its queue, and one for its leases. */
function fullDirectoryOf({ kind, path, waiters }: TreeKey, lastSequence: number): string {
  if (kind !== 'semaphore') return path;
  const { queue, leases } = semaphorePathsOf(path);
  return waiters.some(({ node }) => sequenceOf(node) === lastSequence) ? queue : leases;
}

function holdingText({ holder, heldSince }: TreeContender, age: string): string {
  if (holder?.cohort) return 'holds it, for several calls';
  return heldSince ? `has held it for ${age}` : `holds it, and asked for it ${age} ago`;
}

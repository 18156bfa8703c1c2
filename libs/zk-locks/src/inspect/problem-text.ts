import { ageText, cleanText, countText, join, shellWord, shortText } from 'zk-client/recipes';
import { deadlockRemedy, describeDeadlock } from '../lock/deadlock.js';
import { semaphorePathsOf } from '../lock/key-path.js';
import { nameHolder } from '../process-name.js';
import { draining } from '../nodes/dialect.js';
import type { TreeContender, TreeKey } from '../tree/tree-key.js';
import type { Problem } from './problems.js';

/** A problem in words, each part one line of whole sentences. */
export interface ProblemText {
  /** What is wrong. Does not name the key. */
  readonly text: string;
  /** What to do. Options stand in backquotes. */
  readonly remedy: string;
}

/** The words for a problem, the same in all tools. */
export function describeProblem(problem: Problem): ProblemText {
  const [text, remedy] = wordsOf(problem);
  return { text: cleanText(text), remedy: cleanText(remedy) };
}

/** Who holds or waits: `billing on web-1 (pid 42) "nightly report"`, or `another program ("10.0.0.7")`. */
export function nameContender({ holder, text }: TreeContender): string {
  if (holder) return nameHolder(holder);
  return text === undefined ? 'another program' : `another program ("${shortText(text)}")`;
}

function wordsOf(problem: Problem): [text: string, remedy: string] {
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
        'Too many waiters hold other locks to tell all deadlocks: more than 1,000.',
        'Look at the keys with the longest queues. Nodes of strangers may be among the waiters.',
      ];
    case 'keys-cut':
      return [
        'Not all keys are shown: there are too many.',
        'Delete directories that no program uses, or give the locks a `root` of their own.',
      ];
    case 'counter-end':
      return [
        `The sequence counter of its directory is at ${problem.lastSequence}; at 2147483647 all calls are refused.`,
        draining(problem.found.path),
      ];
    case 'ownerless': {
      const { found, contender, count } = problem;
      const more = count > 1 ? `, nor ${countText(count - 1, 'more node')}` : '';
      return [
        `No session owns the node ${shortText(contender.node)} of ${nameContender(contender)}${more}: it stays, and blocks the key, until it is deleted.`,
        `Find out who created it. If no program depends on it, delete it: zkCli.sh delete ${shellWord(pathOf(found, contender))}`,
      ];
    }
    case 'strangers': {
      const { strangers, strangerCount, path } = problem.found;
      const children = countText(
        strangerCount,
        'child that is not a lock node',
        'children that are not lock nodes',
      );
      return [
        `Its directory has ${children}, such as "${shortText(strangers[0] ?? '')}". Calls for it are refused.`,
        `Remove what does not belong below ${path}, or give the locks a \`root\` of their own.`,
      ];
    }
    case 'mixed-dialects':
      return [
        `Its directory has nodes of several dialects: ${problem.found.dialects.toSorted().join(', ')}. Calls for it are refused.`,
        'Programs of different dialects do not exclude each other: set one `dialect` in all of them.',
      ];
    case 'other-dialect':
      return [
        `Its nodes are of the dialect ${problem.dialect}, and the dialect that is configured is ${problem.configured}.`,
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
      const since = contender.holder?.cohort
        ? 'for several calls'
        : `and asked for it ${ageText(heldMs)} ago`;
      return [
        `${nameContender(contender)} holds it, ${since}.`,
        'See what it does. To ask for the lock, revoke it; `maxHoldMs` would end such work.',
      ];
    }
    case 'long-wait': {
      const { contender, waitedMs, waiting } = problem;
      const calls = waiting === 1 ? '1 call waits' : `${waiting} calls wait`;
      return [
        `${nameContender(contender)} has waited for ${ageText(waitedMs)}; ${calls} in all.`,
        'See who holds it, and for how long.',
      ];
    }
  }
}

function pathOf({ kind, path, holders }: TreeKey, contender: TreeContender): string {
  if (kind !== 'semaphore') return join(path, contender.node);
  const { queue, leases } = semaphorePathsOf(path);
  return join(holders.includes(contender) ? leases : queue, contender.node);
}

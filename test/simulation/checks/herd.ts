import type { Violation } from '../../soak/history/history.js';
import { CHAIR, type LockKind } from '../../workers/soak/protocol.js';
import type { Plan } from '../plan/plan.js';
import type { Stage } from '../story/stage.js';

/** The owner of a node hears of its deletion, and the one who waits for it. */
const MOST_TOLD = 2;
/** Readers wait for one writer together. */
const TOGETHER: readonly LockKind[] = ['read', 'upgradable', 'downgrade'];

/** Whether each release wakes one waiter at most, and no one else watches. */
function isComparable({ replicas, contenders = [], faults }: Plan): boolean {
  const watches = faults.some(({ kind }) => kind === 'user watches a lock directory');
  return (
    !watches &&
    contenders.length === 0 &&
    replicas.every(
      ({ options: { dialect }, tasks, users }) =>
        dialect !== 'single-node' && !users && TOGETHER.every((kind) => !tasks[kind]),
    )
  );
}

/**
 * The deletion of a node of a lock was told to more than its owner and the next in the queue, or a change of
 * a queue's directory to anyone.
 *
 * @param told the number of watch events by path
 */
export function checkHerd(
  told: Iterable<readonly [string, number]>,
  keys: readonly string[],
): Violation[] {
  const directories = new Set(keys.map((key) => `/locks/${key}`));
  const violations: Violation[] = [];
  for (const [path, count] of told) {
    const isDirectory = directories.has(path);
    if (!isDirectory && !directories.has(path.slice(0, path.lastIndexOf('/')))) continue;
    if (count <= (isDirectory ? 0 : MOST_TOLD)) continue;
    const message = `${count} watch events were sent for ${path}`;
    violations.push({ promise: 'no herd', message, kinds: [] });
  }
  return violations;
}

export function checkHerdOf({ plan, servers: { members } }: Stage): Violation[] {
  if (!isComparable(plan)) return [];
  const told = members.flatMap(({ peer }) => [...peer.clients.told]);
  return checkHerd(told, [...plan.keys, CHAIR]);
}

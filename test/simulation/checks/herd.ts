import type { Violation } from '../../soak/history/history.js';
import { CHAIR, type LockKind } from '../../workers/soak/protocol.js';
import { operatorFaults } from '../faults/operator-faults.js';
import type { Plan } from '../plan/plan.js';
import type { Stage } from '../story/stage.js';

/** The owner of a node hears of its deletion, and the two who wait behind it. */
const MOST_TOLD = 3;
/** One in so many nodes may have more: who has given up, or connects again, may be told as well. */
const FEW = 6;
/** Of fewer nodes, a single lost connection can make too many. */
const ENOUGH = 50;
/** Readers wait for one writer together. */
const TOGETHER: readonly LockKind[] = ['read', 'upgradable', 'downgrade'];

/** Whether each release wakes one waiter at most, and no one else watches, as operators and users do. */
function isComparable({ replicas, contenders = [], faults }: Plan): boolean {
  const watches = faults.some(({ kind }) => kind in operatorFaults);
  return (
    !watches &&
    contenders.length === 0 &&
    replicas.every(
      ({ options: { dialect }, tasks, users = {} }) =>
        dialect !== 'single-node' &&
        Object.keys(users).length === 0 &&
        TOGETHER.every((kind) => !tasks[kind]),
    )
  );
}

interface Terms {
  readonly keys: readonly string[];
  /** Whether processes keep locks that they do not use: they watch the directory for others. */
  readonly keepsLocks: boolean;
}

/**
 * The deletions of many nodes were told to more than their owners and the next two in the queue; or a
 * change of a queue's directory to a process that keeps no lock. One that has given up may be told as well,
 * since its watch stays on the server.
 *
 * @param told the number of watch events that a server has sent, by path
 */
export function checkHerd(
  told: Iterable<readonly [string, number]>,
  { keys, keepsLocks }: Terms,
): Violation[] {
  const directories = new Set(keys.map((key) => `/locks/${key}`));
  const violations: Violation[] = [];
  const events = new Map<string, number>();
  const report = (message: string): void => void violations.push({ promise: 'no herd', message });
  for (const [path, count] of told) {
    if (directories.has(path) && !keepsLocks) report(`${count} watch events were sent for ${path}`);
    if (!directories.has(path.slice(0, path.lastIndexOf('/')))) continue;
    events.set(path, (events.get(path) ?? 0) + count);
  }
  const crowds = [...events.values()].filter((count) => count > MOST_TOLD).length;
  if (events.size >= ENOUGH && crowds > events.size / FEW) {
    report(`more than ${MOST_TOLD} were told of the deletion of ${crowds} in ${events.size} nodes`);
  }
  return violations;
}

export function checkHerdOf({ plan, servers: { members } }: Stage): Violation[] {
  if (!isComparable(plan)) return [];
  const told = members.flatMap(({ peer }) => [...peer.clients.told]);
  const keepsLocks = plan.replicas.some(
    ({ options: { cohort } }) => typeof cohort === 'object' && (cohort.keepMs ?? 0) > 0,
  );
  return checkHerd(told, { keys: [...plan.keys, CHAIR], keepsLocks });
}

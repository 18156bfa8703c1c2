import type { Violation } from '../../soak/history/history.js';
import { CHAIR, type LockKind } from '../../workers/soak/protocol.js';
import { operatorFaults } from '../faults/operator-faults.js';
import type { Plan } from '../plan/plan.js';
import type { Stage } from '../story/stage.js';

/** Only the owner of a node and the next two in the queue are notified of its deletion. */
const MOST_TOLD = 3;
/**
 * One in this many nodes may have more: a contender that gave up, or one that reconnects, may also
 * be notified.
 */
const FEW = 6;
/** With fewer nodes, a single lost connection can exceed the limit. */
const ENOUGH = 50;
/** Readers that wait for one writer are all woken by it. */
const TOGETHER: readonly LockKind[] = ['read', 'upgradable', 'downgrade'];

/**
 * Whether each release wakes one waiter at most, and only waiters watch nodes: operators and users
 * may also watch them.
 */
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
  /**
   * Whether processes keep locks that they do not use. They watch the directory for other
   * contenders.
   */
  readonly keepsLocks: boolean;
}

/**
 * Reports when the deletions of many nodes notified more clients than the owner and the next two in
 * the queue, or when a process that keeps no locks was notified of a change of the directory. A
 * contender that gave up may also be notified, because its watch stays on the server.
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

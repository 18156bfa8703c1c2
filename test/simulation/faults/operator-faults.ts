import { ANSWER_MS } from '../../../libs/zk-locks/src/inspection/break.js';
import { POOL } from '../../workers/soak/protocol.js';
import type { FaultPlan } from '../plan/plan.js';
import type { Stage } from '../story/stage.js';
import { type Fault, pick } from './fault.js';

/** The key that a fault concerns: the one of the event that the fault waited for, if it did. */
export function keyOf({ plan: { keys } }: Stage, { key, choices: [place = 0] }: FaultPlan): string {
  return key !== undefined && keys.includes(key) ? key : pick(keys, place)!;
}

/**
 * Lets some holders stay. Most locks are held only briefly, and would be released before or soon
 * after an operator acts.
 */
function holdOn(stage: Stage, plan: FaultPlan, permille = 500): string {
  const [, , isHeld = 0] = plan.choices;
  const key = keyOf(stage, plan);
  if (isHeld < permille) stage.ownerOf(key)?.cling(plan.ms + stage.longestSessionMs);
  return key;
}

/**
 * With this dialect, a former holder's guard remains when the lock node is deleted: docs/locks.md.
 */
function areLocksSingleNodes({ plan }: Stage): boolean {
  return plan.replicas[0]?.options.dialect === 'single-node';
}

/**
 * The proportion of holders that stay, depending on whether the operator acts at once or hesitates.
 */
const HELD_PERMILLE = { atOnce: 800, later: 400 };
const WHOM = ['holder', 'holder', 'waiter', 'a mistake'] as const;
/** The maximum time for which a holder does not learn that its lock is broken. */
const LONGEST_MS = 10_000;
/** The number of messages for which an operator waits, at most, before it waits for the holder. */
const MESSAGES = 20;

/** Actions of operators, and of users of `ZkClient`. */
export const operatorFaults = {
  'session ended by an operator': (stage, { target }) => {
    const session = pick(stage.servers.view.sessions, target);
    if (session) stage.expire(session.id);
  },

  'lock broken': (stage, plan) => {
    const [, place = 0, , thinks = 0] = plan.choices;
    const thinksMs = thinks < 500 ? 0 : thinks / 4;
    const whom = pick(WHOM, place)!;
    const key = holdOn(stage, plan, thinksMs > 0 ? HELD_PERMILLE.later : HELD_PERMILLE.atOnce);
    stage.operator.breakLock(key, { whom, thinksMs });
  },

  /**
   * The process cannot release its lock. It resumes, or is reconnected, about when its node is
   * deleted, soon after that, or while the next process holds the lock.
   */
  'lock broken of a holder that does not hear': (stage, plan) => {
    const [, later = 0, way = 0, early = 0] = plan.choices;
    const key = keyOf(stage, plan);
    const slot = stage.replicas.find(({ current }) => current === stage.ownerOf(key));
    if (!slot) return;
    const { process } = slot.current;
    let hear: () => void;
    if (way < 700) {
      process.stop();
      hear = stage.untilHealed(LONGEST_MS, () => process.continue());
    } else {
      stage.silence(slot, LONGEST_MS);
      const hosts = stage.servers.members.map((member) => member.process.host);
      const frees = hosts.map((host) => stage.blockFor(LONGEST_MS, process.host, host, 'both'));
      hear = () => frees.forEach((free) => free());
    }
    if (early < 300) {
      const asksMs = MESSAGES * (1 + (stage.plan.operatorLateMs ?? 0));
      stage.operator.breakLock(key);
      stage.world.after(ANSWER_MS + (later % asksMs), hear);
    } else if (early < 700) {
      stage.operator.breakLock(key);
      stage.onNextGrant(key, slot.current, (holder) => {
        holder.cling(plan.ms);
        stage.world.after(later % 100, hear);
      });
    } else {
      stage.operator.breakLock(key, { onDone: () => stage.world.after(later % 300, hear) });
    }
  },

  'lock node deleted': (stage, plan) => {
    if (areLocksSingleNodes(stage)) return;
    const [, which = 0] = plan.choices;
    // Usually the holder's node.
    stage.operator.deleteNode(holdOn(stage, plan), Math.max(0, which - 500));
  },

  'lock directory deleted': (stage, plan) => {
    if (areLocksSingleNodes(stage)) return;
    const [, isPool = 0] = plan.choices;
    stage.operator.deleteDirectory(isPool < 200 ? POOL.key : holdOn(stage, plan));
  },

  'root deleted': (stage) => {
    if (!areLocksSingleNodes(stage)) stage.operator.deleteDirectory();
  },

  'lock asked back': (stage, plan) => stage.operator.revoke(keyOf(stage, plan)),

  'user watches a lock directory': (stage, plan) => {
    const [, recursive = 0, isPool = 0, isLasting = 0] = plan.choices;
    const slot = pick(stage.replicas, plan.target)!;
    const key = isPool < 400 ? `${POOL.key}/leases` : keyOf(stage, plan);
    const ms = isLasting < 500 ? plan.ms : undefined;
    slot.current.watchDirectory(key, { recursive: recursive < 600, ms });
  },
} as const satisfies Record<string, Fault>;

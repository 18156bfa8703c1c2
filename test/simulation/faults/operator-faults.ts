import { type Fault, pick } from './fault.js';

/** What operators do, and users of the client for znodes. */
export const operatorFaults = {
  'session ended by an operator': (stage, { target }) => {
    const session = pick(stage.servers.view.sessions, target);
    if (session) stage.expire(session.id);
  },

  'lock broken': (stage, { choices: [key = 0, whom = 0] }) =>
    stage.operator.breakLock(pick(stage.plan.keys, key)!, whom < 800 ? 'holder' : 'waiter'),

  /** Its process cannot give it up, and wakes up afterwards. */
  'holder stopped and its lock broken': (stage, { ms, choices: [key = 0, later = 0] }) => {
    const name = pick(stage.plan.keys, key)!;
    const owner = stage.ownerOf(name);
    if (!owner) return;
    owner.process.stop();
    stage.untilHealed(ms, () => owner.process.continue());
    stage.world.after(later, () => stage.operator.breakLock(name, 'holder'));
  },

  'lock node deleted': (stage, { choices: [key = 0, which = 0] }) =>
    stage.operator.deleteNode(pick(stage.plan.keys, key)!, which),

  'lock asked back': (stage, { choices: [key = 0] }) =>
    stage.operator.revoke(pick(stage.plan.keys, key)!),

  'user watches a lock directory': (stage, { target, ms, choices: [key = 0, recursive = 0] }) =>
    stage.watchDirectory(pick(stage.replicas, target)!, pick(stage.plan.keys, key)!, {
      isRecursive: recursive < 600,
      ms,
    }),
} as const satisfies Record<string, Fault>;

import { drawPlan } from '../plan/draw-plan.js';
import type { Plan, ReplicaPlan } from '../plan/plan.js';

/** The calls and users of a story's processes. */
export type Work = Pick<ReplicaPlan, 'tasks' | 'users'>;

const COHORT = { maxHandovers: 2, maxTenureMs: 5_000, keepMs: 0 };

/** A story without faults, with one server and one key. The second process passes locks on. */
export function calmPlan({ tasks, users = {} }: Work, { seed = 1, workMs = 500 } = {}): Plan {
  const drawn = drawPlan(seed, { calm: true, voters: 1, workMs, idleMs: 50 });
  const replicas = drawn.replicas.slice(0, 2).map((replica, place) => {
    const cohort = place === 1 ? COHORT : undefined;
    const options = { ...replica.options, dialect: 'curator-rw' as const, cohort };
    return { ...replica, options, tasks, users, usersIdleMs: 50 };
  });
  return { ...drawn, keys: ['a'], replicas, contenders: [] };
}

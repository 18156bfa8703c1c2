import { drawPlan } from '../plan/draw-plan.js';
import type { Plan, ReplicaPlan } from '../plan/plan.js';

/** The calls and users of a story's processes. */
export interface Work extends Pick<ReplicaPlan, 'tasks' | 'users'> {
  /** The number of processes. @default 2 */
  readonly processes?: number;
}

const COHORT = { maxHandovers: 2, maxTenureMs: 5_000, keepMs: 0 };

/** A story without faults, with one server and one key. The second process passes locks on. */
export function calmPlan(
  { tasks, users = {}, processes = 2 }: Work,
  { seed = 1, workMs = 500 } = {},
): Plan {
  const drawn = drawPlan(seed, { calm: true, voters: 1, workMs, idleMs: 50 });
  const replicas = Array.from({ length: processes }, (_, place) => {
    const replica = drawn.replicas[place] ?? { ...drawn.replicas[0]!, name: `more${place}` };
    const cohort = place === 1 ? COHORT : undefined;
    const options = { ...replica.options, dialect: 'curator-rw' as const, cohort };
    return { ...replica, options, tasks, users, usersIdleMs: 50 };
  });
  return { ...drawn, keys: ['a'], replicas, contenders: [] };
}

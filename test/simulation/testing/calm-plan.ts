import { drawPlan } from '../plan/draw-plan.js';
import type { Plan, ReplicaPlan } from '../plan/plan.js';

/** What processes do in a story. */
export type Work = Pick<ReplicaPlan, 'tasks' | 'users'>;

/** A story with one server, one key and two processes, the second of which passes locks on: nothing goes wrong. */
export function calmPlan({ tasks, users }: Work, { seed = 1, workMs = 500 } = {}): Plan {
  const drawn = drawPlan(seed, { calm: true, voters: 1, workMs, idleMs: 50 });
  const cohorts = [undefined, { maxHandovers: 2, maxTenureMs: 5_000, keepMs: 0 }];
  const replicas = cohorts.map((cohort, place) => {
    const replica = drawn.replicas[place]!;
    const options = { ...replica.options, dialect: 'curator-rw' as const, cohort };
    return { ...replica, options, tasks, users: users ?? {}, usersIdleMs: 50 };
  });
  return { ...drawn, keys: ['a'], replicas };
}

import type { Plan } from '../plan/plan.js';
import { type Outcome, play } from './play.js';

/** Whether an outcome shows the same broken promise. */
function failsLike(outcome: Outcome, promise: string): boolean {
  return outcome.violations.some((violation) => violation.promise === promise);
}

/** Plans with less in them: fewer faults first, then fewer processes, tasks and keys, then shorter. */
function* smaller(plan: Plan): Generator<Plan> {
  const { faults, replicas, keys } = plan;
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < faults.length; from += size) {
      yield { ...plan, faults: faults.toSpliced(from, size) };
    }
  }
  for (let place = 0; replicas.length > 1 && place < replicas.length; place++) {
    yield { ...plan, replicas: replicas.toSpliced(place, 1) };
  }
  for (const [place, replica] of replicas.entries()) {
    for (const [kind, count] of Object.entries(replica.tasks)) {
      const tasks = { ...replica.tasks, [kind]: count - 1 };
      if (count > 0) yield { ...plan, replicas: replicas.with(place, { ...replica, tasks }) };
    }
  }
  if (keys.length > 1) yield { ...plan, keys: keys.slice(0, -1) };
  for (const share of [0.25, 0.5, 0.75, 0.9]) {
    const workMs = Math.floor(plan.workMs * share);
    yield { ...plan, workMs, faults: faults.filter(({ at }) => at < workMs) };
  }
  for (const [place, fault] of faults.entries()) {
    const ms = Math.floor(fault.ms / 2);
    if (ms > 10) yield { ...plan, faults: faults.with(place, { ...fault, ms }) };
  }
}

/**
 * The smallest plan that it finds in which the same promise is broken.
 *
 * @param mayGoOn false when it has taken long enough
 */
export function shrink(plan: Plan, promise: string, mayGoOn: () => boolean): Plan {
  let smallest = plan;
  search: for (;;) {
    for (const candidate of smaller(smallest)) {
      if (!mayGoOn()) break search;
      if (!failsLike(play(candidate), promise)) continue;
      smallest = candidate;
      continue search;
    }
    break;
  }
  return smallest;
}

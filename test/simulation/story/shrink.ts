import type { Plan, ReplicaPlan } from '../plan/plan.js';
import { type Outcome, play } from './play.js';

function failsLike(outcome: Outcome, promise: string): boolean {
  return outcome.violations.some((violation) => violation.promise === promise);
}

/** Smaller variants of a plan, starting with those that remove most. */
function* smaller(plan: Plan): Generator<Plan> {
  yield* withLessTime(plan);
  yield* withFewerFaults(plan);
  yield* withFewerProcesses(plan);
  yield* withFewerKinds(plan);
  const { keys } = plan;
  if (keys.length > 1) yield { ...plan, keys: keys.slice(0, -1) };
  yield* withShorterTimes(plan);
}

function* withLessTime(plan: Plan): Generator<Plan> {
  for (const share of [0.25, 0.5, 0.75, 0.9]) {
    const workMs = Math.floor(plan.workMs * share);
    yield { ...plan, workMs, faults: plan.faults.filter(({ at }) => at < workMs) };
  }
}

function* withFewerFaults(plan: Plan): Generator<Plan> {
  const { faults } = plan;
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < faults.length; from += size) {
      yield { ...plan, faults: faults.toSpliced(from, size) };
    }
  }
}

function* withFewerProcesses(plan: Plan): Generator<Plan> {
  const { replicas, contenders = [] } = plan;
  for (let place = 0; place < contenders.length; place++) {
    yield { ...plan, contenders: contenders.toSpliced(place, 1) };
  }
  for (let place = 0; replicas.length > 1 && place < replicas.length; place++) {
    yield { ...plan, replicas: replicas.toSpliced(place, 1) };
  }
}

/** Variants without one kind of calls in all processes, or without the `ZkClient` users. */
function* withFewerKinds(plan: Plan): Generator<Plan> {
  const { replicas } = plan;
  for (const part of ['tasks', 'users'] as const) {
    for (const kind of new Set(replicas.flatMap((replica) => Object.keys(replica[part] ?? {})))) {
      yield { ...plan, replicas: replicas.map((replica) => without(replica, part, kind)) };
    }
  }
}

function without(replica: ReplicaPlan, part: 'tasks' | 'users', kind: string): ReplicaPlan {
  const kept = Object.entries(replica[part] ?? {}).filter(([name]) => name !== kind);
  return { ...replica, [part]: Object.fromEntries(kept) };
}

const LEAST_MS = 10;

/** Variants in which faults last half as long or begin earlier, or tasks take fewer turns. */
function* withShorterTimes(plan: Plan): Generator<Plan> {
  const { faults, replicas } = plan;
  for (const [place, fault] of faults.entries()) {
    const ms = Math.floor(fault.ms / 2);
    if (ms > LEAST_MS) yield { ...plan, faults: faults.with(place, { ...fault, ms }) };
  }
  const [first] = faults;
  if (first && first.at > LEAST_MS) {
    const earlier = Math.floor(first.at / 2);
    const moved = faults.map((fault) => ({ ...fault, at: fault.at - earlier }));
    yield { ...plan, workMs: plan.workMs - earlier, faults: moved };
  }
  const most = Math.max(...replicas.map(({ idleMs }) => idleMs));
  if (most < 500) {
    yield { ...plan, replicas: replicas.map((replica) => ({ ...replica, idleMs: 10 * most })) };
  }
}

/**
 * Searches for the smallest plan that breaks the same promise.
 *
 * @param mayGoOn returns false when the search has taken long enough
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

/** Describes what was removed from a plan. */
export function describeReduction(before: Plan, after: Plan): string {
  const parts = [
    ['faults', ({ faults }: Plan) => faults.length],
    ['processes', ({ replicas, contenders = [] }: Plan) => replicas.length + contenders.length],
    ['tasks', tasksOf],
    ['keys', ({ keys }: Plan) => keys.length],
    ['ms of work', ({ workMs }: Plan) => workMs],
  ] as const;
  const texts = parts.map(([name, count]) => {
    const whole = count(before);
    return `${whole - count(after)} of ${whole} ${name}`;
  });
  return `Taken away: ${texts.join(', ')}.`;
}

function tasksOf({ replicas }: Plan): number {
  const counts = replicas.flatMap(({ tasks, users = {} }) => [
    ...Object.values(tasks),
    ...Object.values(users),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

import { describeProblem, type Problem } from 'zk-locks/inspect';
import type { BoardProblem } from './board-api.js';

/** @param now by ZooKeeper's clock, in milliseconds */
export function problemView(problem: Problem, now: number): BoardProblem {
  const { kind, severity, key } = problem;
  const lastedMs = lastedMsOf(problem);
  return {
    ...{ kind, severity },
    ...(key !== undefined && { key }),
    ...(kind === 'deadlock' && { keys: keysOf(problem) }),
    ...(lastedMs !== undefined && { since: now - lastedMs }),
    // The page keeps counting the age.
    ...describeProblem(problem, () => '{age}'),
  };
}

function lastedMsOf(problem: Problem): number | undefined {
  if (problem.kind === 'long-hold') return problem.heldMs;
  return problem.kind === 'long-wait' ? problem.waitedMs : undefined;
}

const keysOf = ({ deadlock }: Extract<Problem, { kind: 'deadlock' }>): string[] => [
  ...new Set(deadlock.flatMap(({ holds, waitsFor }) => [waitsFor, holds])),
];

import { describeProblem, type Problem } from 'zk-locks/inspect';
import type { BoardProblem } from './board-api.js';

export function problemView(problem: Problem): BoardProblem {
  const { kind, severity, key } = problem;
  return { kind, severity, ...(key !== undefined && { key }), ...describeProblem(problem) };
}

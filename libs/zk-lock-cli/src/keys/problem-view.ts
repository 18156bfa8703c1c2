import { describeProblem, type Problem } from 'zk-locks/inspect';
import { inFlags } from '../explain.js';

/** A problem for people and programs, with the names that options have here. */
export function problemView(problem: Problem): ProblemView {
  const { text, remedy } = describeProblem(problem);
  const { kind, severity, key } = problem;
  return { kind, severity, ...(key !== undefined && { key }), text, remedy: inFlags(remedy) };
}

export interface ProblemView extends Pick<Problem, 'kind' | 'severity'> {
  readonly key?: string;
  readonly text: string;
  readonly remedy: string;
}

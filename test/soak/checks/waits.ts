import type { LockKind } from '../../workers/soak/protocol.js';
import type { History, Violation, Wait } from '../history/history.js';
import { stalledMs } from './stalls.js';

/** Errors that a caller's limit may cause. */
const GIVEN_UP = ['LOCK_TIMEOUT', 'LOCK_ABORTED', 'ZK_UNAVAILABLE'];
/** Kinds that hold a lock while they wait, and may lose it. */
const CAN_LOSE: readonly LockKind[] = ['upgradable', 'downgrade', 'several', 'run'];

/**
 * Each call must get an answer: the lock, or an error with the reason, neither earlier nor later
 * than the caller allowed.
 *
 * @param lateMs how late an answer may be, in addition to stalls of the process
 */
export function checkWaits(history: History, lateMs: number): Violation[] {
  const problems = history.waits.flatMap((wait) => {
    const problem = problemOf(wait, history, lateMs);
    return problem === undefined ? [] : [{ wait, problem }];
  });
  const waits = problems.map(({ wait, problem }) => ({
    promise: 'waiting',
    message: `a wait of ${wait.process} (${wait.kind}, "${wait.key}") ${problem}`,
  }));
  const errors = history.errors.map(({ process, error }) => ({
    promise: 'errors',
    message: `a call in ${process} threw ${error}`,
  }));
  return [...waits, ...errors];
}

function problemOf(wait: Wait, history: History, lateMs: number): string | undefined {
  const { process, kind, patienceMs, askedAt, answer } = wait;
  if (!answer) return history.deaths.has(process) ? undefined : 'was never answered';
  const { outcome, message = '' } = answer;
  if (outcome === 'granted') return undefined;
  if (outcome === 'LOCK_LOST' && CAN_LOSE.includes(kind)) return undefined;
  if (patienceMs === undefined || !GIVEN_UP.includes(outcome))
    return `failed: ${outcome} ${message}`;
  const tookMs = answer.at - askedAt;
  if (outcome !== 'ZK_UNAVAILABLE' && tookMs < patienceMs - 2) {
    return `gave up after ${tookMs.toFixed(0)} of ${String(patienceMs)} ms`;
  }
  const excuseMs = stalledMs(history, process, { from: askedAt, to: answer.at });
  const lateBy = tookMs - patienceMs - excuseMs;
  return lateBy > lateMs
    ? `gave up ${lateBy.toFixed(0)} ms after its ${String(patienceMs)} ms were over`
    : undefined;
}

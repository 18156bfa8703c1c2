import { LOCK_KINDS } from '../../workers/soak/protocol.js';
import type { RoundReport } from '../round.js';
import type { SoakReport } from '../soak.js';

/**
 * Fault by lock kind, as Markdown: in each cell the grants, and the longest wait after the fault,
 * as a multiple of the session timeout.
 */
export function faultTable({ rounds }: SoakReport): string {
  const faults = [...new Set(rounds.map(({ fault }) => fault))].sort();
  const rows = faults.map((fault) => {
    const runs = rounds.filter((round) => round.fault === fault);
    const violations = runs.reduce((sum, run) => sum + run.violations.length, 0);
    const cells = LOCK_KINDS.map((kind) => {
      const grants = runs.reduce((sum, run) => sum + (run.grants.get(kind) ?? 0), 0);
      const slowest = runs.map((run) => (run.slowestMs.get(kind) ?? 0) / run.sessionTimeoutMs);
      return `${grants} · ${inSessions(Math.max(...slowest))}`;
    });
    return [fault, String(runs.length), String(violations), ...cells];
  });
  const head = ['fault', 'runs', 'violations', ...LOCK_KINDS];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The totals of all rounds. */
export function summary(report: SoakReport): string {
  const { seed, rounds, leftovers, configurations } = report;
  const grants = rounds.flatMap((round) => [...round.grants.values()]);
  const violations = rounds.flatMap((round) => round.violations).length;
  const margins = rounds.flatMap(({ marginsMs }) => marginsMs);
  const least = margins.length > 0 ? `, the least ${Math.min(...margins).toFixed(0)} ms` : '';
  return [
    `seed ${seed}: ${configurations.length} configurations, ${rounds.length} faults, ${sum(grants)} grants, ${violations} violations`,
    `${margins.length} losses told before the next grant${least}`,
    `${sum(rounds.map(({ broken }) => broken))} locks broken`,
    `${sum(rounds.map(({ guardedWrites }) => guardedWrites))} guarded writes`,
    `${leftovers.length} left at the end`,
  ].join('; ');
}

/** One line for a round, as it ends. */
export function roundLine(round: RoundReport): string {
  const { fault, grants, slowestMs, violations, sessionTimeoutMs } = round;
  const slowest = inSessions(Math.max(...slowestMs.values()) / sessionTimeoutMs);
  const count = `${sum([...grants.values()])} grants, slowest ${slowest}`;
  const problems = violations.map(({ promise, message }) => `\n    ${promise}: ${message}`);
  return `${violations.length === 0 ? 'ok  ' : 'FAIL'} ${fault}: ${count}${problems.join('')}`;
}

function inSessions(timeouts: number): string {
  return `${timeouts.toFixed(1)} T`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

import type { RoundReport } from './round.js';
import type { SoakReport } from './soak.js';

/** Describes the method, as Markdown. */
export const ABOUT = `Three ZooKeeper servers reach each other through proxies, and three replicas reach the servers through proxies, too. In each replica, thirteen tasks compete for three keys, a semaphore and the leadership: writers, readers, upgradable readers, takers of two keys or of permits, candidates. Each round breaks one thing, repairs it, and lets all tasks finish. A violation is any of these:

- two holders that exclude each other at one instant, or more permits than there are;
- a holder that was told of its loss after the next grant, unless its process was paused;
- a fencing token that does not rise, a stale write that was accepted, or a holder's write that was refused;
- an order of grants other than first come, first served, among waiters whose session lived;
- a wait without an answer within five session timeouts after the fault, or within the caller's own time;
- a lock node, watch, session or process that is left at the end.

The longest wait counts from the beginning of the fault, so it includes the fault itself. If a fault stops all locks, it counts from the end of the fault.`;

/** The grants, and the longest wait after each fault in session timeouts, as Markdown. */
export function faultTable({ rounds }: SoakReport): string {
  const faults = [...new Set(rounds.map(({ fault }) => fault))].sort();
  const rows = faults.map((fault) => {
    const runs = rounds.filter((round) => round.fault === fault);
    const slowest = Math.max(...runs.map(inSessions)).toFixed(1);
    return [fault, runs.length, sum(runs.map(violationsIn)), sum(runs.map(grantsIn)), slowest];
  });
  const head = ['fault', 'runs', 'violations', 'grants', 'longest wait, in session timeouts'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The totals of all rounds. */
export function summary({ seed, rounds, leftovers }: SoakReport): string {
  const margins = rounds.flatMap(({ marginsMs }) => marginsMs);
  const least =
    margins.length > 0
      ? `, each at least ${Math.min(...margins).toFixed(0)} ms before the next grant`
      : '';
  return [
    `seed ${seed}: ${rounds.length} faults, ${sum(rounds.map(grantsIn))} grants, ${sum(rounds.map(violationsIn))} violations`,
    `${margins.length} losses told${least}`,
    `${leftovers.length} things left at the end`,
  ].join('; ');
}

/** The result of a round in one line. */
export function roundLine(round: RoundReport): string {
  const count = `${grantsIn(round)} grants, slowest ${inSessions(round).toFixed(1)} T`;
  const problems = round.violations.map(({ promise, message }) => `\n    ${promise}: ${message}`);
  return `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${round.client}, ${round.fault}: ${count}${problems.join('')}`;
}

const inSessions = ({ slowestMs, sessionTimeoutMs }: RoundReport): number =>
  slowestMs / sessionTimeoutMs;
const grantsIn = ({ grants }: RoundReport): number => grants;
const violationsIn = ({ violations }: RoundReport): number => violations.length;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

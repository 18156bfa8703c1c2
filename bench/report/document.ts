import { CONTENDERS } from '../contenders/contenders.js';
import { type Results, unsteady, type WorkloadResult } from '../measure/results.js';
import { WORKLOADS } from '../workloads/workloads.js';
import { GOALS, isMet, reached } from './goals.js';
import type { Machine } from './machine.js';
import { markdown, ratioRows, workloadRows } from './table.js';
import { NOTHING, plain } from './words.js';

/** A run, as stored in `results.json`. */
export interface Run extends Results {
  readonly machine: Machine;
  readonly rounds: number;
  /** The duration of each contender's rounds, in seconds. */
  readonly seconds: number;
}

/** The results of a run, as Markdown. */
export function document(run: Run): string {
  const { workloads } = run;
  const names = new Set(workloads.flatMap(({ entries }) => entries.map((one) => one.contender)));
  const contenders = CONTENDERS.filter(({ name }) => names.has(name));
  return [
    '# Results of `npm run bench`',
    introduction(run),
    '## Cycles per second, as multiples of Curator’s',
    'The median over the rounds of the ratio in each round. The figures in one row were measured within minutes of each other, on the same servers. Figures in different rows cannot be compared.',
    markdown(ratioRows(workloads)),
    '## Goals',
    markdown(goalRows(run)),
    ...workloads.map(section),
    '## Contenders',
    contenders.map(({ name, about }) => `- \`${name}\`: ${about}.`).join('\n'),
    ...failures(run),
  ].join('\n\n');
}

/** The machine and the length of a run. */
export function provenance({ machine, rounds, seconds }: Run): string {
  const { date, cpu, cores, memoryGb, system, fileSystem, load } = machine;
  return `${date}; ${cores} cores of ${cpu}, ${memoryGb} GB, ${system}, data of all servers on ${fileSystem}, load average ${load.toFixed(1)} before the run; ${rounds} round${rounds === 1 ? '' : 's'} of ${seconds} s each.`;
}

function introduction(run: Run): string {
  const versions = Object.entries(run.machine.versions).map((entry) => entry.join(' '));
  return [
    provenance(run),
    `${versions.join(', ')}.`,
    'Everything ran on one machine, over loopback. [How it is measured](README.md#how-it-is-measured).',
  ].join('\n\n');
}

export function goalRows(run: Results): string[][] {
  const rows = GOALS.map((goal) => {
    const now = reached(goal, run);
    const met = now === undefined ? NOTHING : isMet(goal, now) ? 'yes' : '**no**';
    const wanted = `${goal.atMost ? '≤' : '≥'} ${goal.wanted}`;
    return [goal.what, wanted, now === undefined ? NOTHING : plain(now), met];
  });
  return [['goal', 'wanted', 'now', 'met'], ...rows];
}

function section(result: WorkloadResult): string {
  const workload = WORKLOADS.find(({ name }) => name === result.workload);
  if (!workload) throw new Error(`there is no workload "${result.workload}"`);
  const { name, about } = workload;
  const table = markdown(workloadRows(workload, result));
  const parts = [`## ${capital(name)}`, about, table, conditions(result)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The machine's load during the rounds; empty if it is unknown. */
export function conditions(result: WorkloadResult): string {
  if (result.loads.length === 0) return '';
  const loads = result.loads.map(
    ({ before, during }) => `${before.toFixed(1)} → ${during.toFixed(1)}`,
  );
  const names = unsteady(result);
  const warning =
    names.length === 0 ? '' : ` Still changing after the warm-up: ${names.join(', ')}.`;
  return `One-minute load average, before each round → highest during it: ${loads.join('; ')}.${warning}`;
}

function failures({ failures: all }: Results): string[] {
  if (all.length === 0) return [];
  const lines = all.map(
    ({ workload, contender, message }) =>
      `- ${contender}, ${workload}: ${message.split('\n')[0] ?? ''}`,
  );
  return ['## Failed', lines.join('\n')];
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

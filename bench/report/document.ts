import type { Results, WorkloadResult } from '../measure/results.js';
import type { BenchOptions } from '../options.js';
import type { Workload } from '../workloads/workload.js';
import { type Goal, goalsOf, isReached } from './goals.js';
import type { Machine } from './machine.js';
import { markdown, ratioRows, workloadRows } from './table.js';
import { NOTHING, plain } from './words.js';

/** What a run found, as Markdown. */
export function document(results: Results, machine: Machine, options: BenchOptions): string {
  const { contenders, workloads } = options;
  return [
    '# Results of `npm run bench`',
    introduction(machine, options),
    '## Times as much per second as Curator',
    'The median over the rounds of the ratio in each round. What stands in a row was measured within minutes, on the same servers; numbers of different rows say nothing about each other.',
    markdown(ratioRows(results.workloads)),
    '![The same as bars](RESULTS.svg)',
    '## Goals',
    markdown(goalRows(goalsOf(results, contenders))),
    ...results.workloads.map((result) => section(result, workloads)),
    '## Contenders',
    contenders.map(({ name, about }) => `- \`${name}\`: ${about}.`).join('\n'),
    ...failures(results),
  ].join('\n\n');
}

function introduction(machine: Machine, { rounds, seconds }: BenchOptions): string {
  const { date, cpu, cores, memoryGb, system, fileSystem, load, versions } = machine;
  const versionList = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${date}; ${cores} cores of ${cpu}, ${memoryGb} GB, ${system}, data of all servers on ${fileSystem}, load ${load.toFixed(1)} before the run.`,
    `${versionList.join(', ')}.`,
    `Everything on one machine, over loopback. Of each workload, contenders take turns in ${rounds} round${rounds === 1 ? '' : 's'} of ${seconds} s each, after one to warm up; of the long lines of waiters, in fewer.`,
  ].join('\n\n');
}

function goalRows(goals: readonly Goal[]): string[][] {
  const rows = goals.map((goal) => [
    goal.what,
    `${goal.atMost ? '≤' : '≥'} ${goal.wanted}`,
    goal.reached === undefined ? NOTHING : plain(goal.reached),
    { true: 'yes', false: '**no**', undefined: NOTHING }[String(isReached(goal))] ?? NOTHING,
  ]);
  return [['goal, by the best variant', 'wanted', 'measured', 'reached'], ...rows];
}

function section(result: WorkloadResult, workloads: readonly Workload[]): string {
  const workload = workloads.find(({ name }) => name === result.workload);
  if (!workload) throw new Error(`there is no workload "${result.workload}"`);
  const { name, about } = workload;
  return [`## ${capital(name)}`, about, markdown(workloadRows(workload, result))].join('\n\n');
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

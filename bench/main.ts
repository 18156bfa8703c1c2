/** `npm run bench`: this library and its peers on the same work, in one run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { bench, type Listener } from './bench.js';
import { readCommandLine, say } from '../test/support/command-line.js';
import { type BenchOptions, parseCommandLine, USAGE } from './options.js';
import type { Results } from './measure/results.js';
import { document } from './report/document.js';
import { describeMachine, type Machine } from './report/machine.js';
import { plot } from './report/plot.js';
import { Progress } from './report/progress.js';
import { aligned, ratioRows, workloadRows } from './report/table.js';
import { roundsOf } from './workloads/workload.js';

const REPORTS = 'reports/bench';

function stepsOf({ workloads, contenders, rounds }: BenchOptions): number {
  return workloads.reduce((sum, workload) => {
    const entrants = contenders.filter((contender) => workload.suits(contender));
    return sum + roundsOf(workload, rounds).length * entrants.length;
  }, 0);
}

function listener(progress: Progress): Listener {
  return {
    onRound: ({ name }, contender, round) => {
      progress.step(`${name}, ${contender.name}, ${round === 0 ? 'warm-up' : `round ${round}`}`);
    },
    onResult: (workload, result) => {
      progress.clear();
      say(`\n${workload.name}\n${aligned(workloadRows(workload, result))}`);
    },
    onFailure: ({ workload, contender, message }) => {
      progress.clear();
      say(`\n${workload}, ${contender}, FAILED: ${message}`);
    },
  };
}

/** @returns the folder of the document */
function write(results: Results, machine: Machine, options: BenchOptions): string {
  mkdirSync(REPORTS, { recursive: true });
  const { seconds, rounds } = options;
  const json = JSON.stringify({ machine, seconds, rounds, ...results }, undefined, 1);
  writeFileSync(`${REPORTS}/results.json`, json);
  const folder = options.isWhole && results.failures.length === 0 ? 'bench' : REPORTS;
  writeFileSync(`${folder}/RESULTS.md`, `${document(results, machine, options)}\n`);
  writeFileSync(`${folder}/RESULTS.svg`, plot(results.workloads));
  return folder;
}

async function run(options: BenchOptions): Promise<void> {
  const machine = await describeMachine();
  const progress = new Progress(stepsOf(options));
  let results: Results;
  try {
    results = await bench(options, listener(progress));
  } finally {
    progress.end();
  }
  const folder = write(results, machine, options);
  say(`\ntimes as much per second as the reference\n${aligned(ratioRows(results.workloads))}`);
  say(`\n${folder}/RESULTS.md, ${folder}/RESULTS.svg, ${REPORTS}/results.json`);
  if (results.failures.length > 0) process.exitCode = 1;
}

// Servers are ended, and their data removed, when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const options = readCommandLine(parseCommandLine, USAGE);
if (options) await run(options);

/** `npm run bench`: this library and its peers on the same work, in one run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { bench, type Listener } from './bench.js';
import { readCommandLine, say } from './command-line.js';
import { CURATOR } from './contenders/curator.js';
import { BEFORE, OURS } from './contenders/ours.js';
import { type BenchOptions, parseCommandLine, USAGE } from './options.js';
import type { Results } from './measure/results.js';
import { conditions, document, goalRows, type Run } from './report/document.js';
import { describeMachine } from './report/machine.js';
import { Progress } from './report/progress.js';
import { publish, readRun, writeRun } from './report/publish.js';
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
      say(`\n${workload.name}\n${aligned(workloadRows(workload, result))}\n${conditions(result)}`);
    },
    onFailure: ({ workload, contender, message }) => {
      progress.clear();
      say(`\n${workload}, ${contender}, FAILED: ${message}`);
    },
  };
}

/** @returns what was written */
async function write(run: Run, { isWhole }: BenchOptions): Promise<string[]> {
  if (isWhole && run.failures.length === 0) return publish(run);
  mkdirSync(REPORTS, { recursive: true });
  writeRun(`${REPORTS}/results.json`, run);
  writeFileSync(`${REPORTS}/RESULTS.md`, `${document(run)}\n`);
  return ['results.json', 'RESULTS.md'].map((name) => `${REPORTS}/${name}`);
}

async function run(options: BenchOptions): Promise<void> {
  const machine = await describeMachine();
  say(`load ${machine.load.toFixed(1)} before the run`);
  const progress = new Progress(stepsOf(options));
  let results: Results;
  try {
    results = await bench(options, listener(progress));
  } finally {
    progress.end();
  }
  const { rounds, seconds } = options;
  const files = await write({ machine, rounds, seconds, ...results }, options);
  say(`\ntimes as much per second as the reference\n${aligned(ratioRows(results.workloads))}`);
  if (options.contenders.some(({ name }) => name === BEFORE)) {
    const compared = results.workloads.filter(({ entries }) =>
      entries.some(({ contender }) => contender === BEFORE),
    );
    const rows = ratioRows(compared, [OURS, BEFORE, CURATOR], BEFORE);
    say(`\ntimes as much per second as ${BEFORE}\n${aligned(rows)}`);
  }
  say(`\n${aligned(goalRows(results))}`);
  say(`\n${files.join(', ')}`);
  if (results.failures.length > 0) process.exitCode = 1;
}

// When this process exits, the servers are stopped and their data is removed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const options = readCommandLine(parseCommandLine, USAGE);
if (options?.publish) say((await publish(readRun(options.publish))).join('\n'));
else if (options) await run(options);

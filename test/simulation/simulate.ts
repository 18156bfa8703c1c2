import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeResults } from '../support/results-page.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { FAULT_KINDS } from './faults/catalogue.js';
import { tryMutants } from './mutants/try-mutant.js';
import type { Job, Told } from './program.js';
import { bundle } from './tools/bundle.js';
import { runJobs } from './tools/run-jobs.js';
import { Totals } from './tools/totals.js';

const HELP = `npm run simulate -- [options]
  --seed N         the first seed (1)
  --seeds N        how many stories
  --minutes M      for how long, on this machine (1, unless --seeds or --hours says when to end)
  --hours H        until this much time was simulated
  --servers N      the number of voting servers (drawn)
  --faults A,B     only these kinds of faults: ${FAULT_KINDS.join(', ')}
  --calm           no faults
  --plan FILE      plays a plan that was kept
  --mutant TEXT    instead, searches for the mistakes with this text in their names, each of which is
                   put into the sources; "all" for all
  --processes N    processes of the simulator (${String(availableParallelism())})
  --verbose        prints the whole log of a story that fails, not only what concerns it
  --publish        writes the totals to test/simulation/RESULTS.md`;

const ABOUT = `Each story is drawn from a seed: one to five servers and sometimes an observer, two to four replicas, other libraries' locks, users of \`ZkClient\` and an operator, on simulated clocks and a simulated network. [Decision 26](../../docs/decisions/0026-simulation.md) says what the simulation can and cannot see. [CONTRIBUTING](../../CONTRIBUTING.md#a-simulated-story) says how to replay a story.`;

/** The CPU time of the search for a mutant, in seconds. */
const MUTANT_SECONDS = 60;

const reports = fileURLToPath(new URL('../../reports/simulation/', import.meta.url));

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: 'Infinity' },
    minutes: { type: 'string' },
    hours: { type: 'string', default: 'Infinity' },
    servers: { type: 'string' },
    faults: { type: 'string' },
    shrink: { type: 'string', default: '60' },
    calm: { type: 'boolean', default: false },
    plan: { type: 'string' },
    mutant: { type: 'string' },
    processes: { type: 'string', default: String(availableParallelism()) },
    verbose: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.help) {
  print(HELP);
} else if (values.mutant !== undefined) {
  const search = { firstSeed: Number(values.seed), seconds: MUTANT_SECONDS };
  if (!(await tryMutants(values.mutant, search, print))) process.exitCode = 1;
} else {
  await simulate();
}

async function simulate(): Promise<void> {
  const directory = makeTempDir('simulation');
  try {
    const program = join(directory, 'simulator.cjs');
    await bundle(program);
    const totals = new Totals();
    await runJobs(program, jobs(), (told) => report(told, totals));
    print(totals.describe());
    if (values.publish) await publish(totals);
    if (totals.violations > 0) process.exitCode = 1;
  } finally {
    removeTempDir(directory);
  }
}

/** One minute, unless another limit is set. */
function minutes(): number {
  if (values.minutes !== undefined) return Number(values.minutes);
  return values.seeds === 'Infinity' && values.hours === 'Infinity' ? 1 : Infinity;
}

function jobs(): Job[] {
  const isOne = values.plan !== undefined;
  const count = isOne ? 1 : Math.min(Number(values.processes), Number(values.seeds));
  return Array.from({ length: count }, (_, place) => ({
    firstSeed: Number(values.seed) + place,
    step: count,
    // JSON cannot represent Infinity.
    seeds: Math.min(Math.ceil((Number(values.seeds) - place) / count), Number.MAX_SAFE_INTEGER),
    forMs: Math.min(minutes() * 60_000, Number.MAX_SAFE_INTEGER),
    forSimulatedMs: Math.min((Number(values.hours) * 3_600_000) / count, Number.MAX_SAFE_INTEGER),
    stopsAtViolation: !isOne,
    plan: values.plan,
    shrinkMs: isOne ? 0 : Number(values.shrink) * 1_000,
    twiceEvery: 100,
    memoryEvery: 200,
    wishes: {
      voters: values.servers === undefined ? undefined : Number(values.servers),
      faults: values.faults?.split(','),
      calm: values.calm,
    },
  }));
}

function report(told: Told, totals: Totals): void {
  totals.add(told);
  if (told.type !== 'failure') return;
  const { plan, outcome, takenAway } = told;
  mkdirSync(reports, { recursive: true });
  const file = join(reports, `seed-${plan.seed}.json`);
  const [violation] = outcome.violations;
  const found = violation ? `${violation.promise}: ${violation.message}` : '';
  writeFileSync(file, `${JSON.stringify({ ...plan, found })}\n`);
  const text = [
    `Seed ${plan.seed}. ${takenAway}`,
    ...outcome.story,
    `To see it again: npm run simulate -- --plan ${file}`,
  ];
  writeFileSync(join(reports, `seed-${plan.seed}.txt`), `${text.join('\n')}\n`);
  if (values.verbose) for (const line of outcome.lines) print(line);
  for (const line of text) print(line);
}

/** Writes the totals of a run to the documentation. */
async function publish(totals: Totals): Promise<void> {
  const rows = totals.rows().map(([what, count]) => `| ${what} | ${count} |`);
  await writeResults({
    file: new URL('./RESULTS.md', import.meta.url),
    script: 'simulate',
    parts: [ABOUT, ['| | |', '| --- | ---: |', ...rows].join('\n')],
  });
}

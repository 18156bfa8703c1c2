import type { LastRun } from 'zk-locks';
import { ageText, shownText, textShownAs, type TreeKey } from 'zk-locks/inspect';
import { ExitCode } from '../exit-codes.js';
import { JSON_FLAG } from '../flags.js';
import { describeDue, outcomeOf } from '../keys/describe-job.js';
import { contenderForJson, nameHolders } from '../keys/describe-key.js';
import { type Column, table } from '../output/columns.js';
import { print, printJson } from '../output/print.js';
import { outputWidth, paint } from '../output/terminal.js';
import { withTree } from '../tree-connection.js';
import type { Call, Verb } from '../verb.js';

export const jobs: Verb = {
  name: 'jobs',
  summary:
    'Lists jobs that run at most once per period: their last run, and when the next run is due.',
  operands: ['[PREFIX]'],
  connects: true,
  flags: JSON_FLAG,
  description: [
    'Lists the jobs of atMostEveryMs and runAtMostEvery() in alphabetical order, or only those that begin with PREFIX: how often each one runs, when its last run began and how it ended, when the next one is due, and who holds its lock now.',
    'A record has only the last run: each process counts its own runs and skips in the metric zk_lock_job_calls_total.',
    'The outcome is running, done or failed, or died if the process of the last run lost its lock before it could record how the run ended.',
  ],
  examples: ['zk-lock jobs', 'zk-lock jobs nightly: --json'],
  run: list,
};

interface Job extends TreeKey {
  readonly lastRun: LastRun;
}

function list({ flags, operands }: Call): Promise<number> {
  const prefix = textShownAs(operands[0] ?? '');
  return withTree(flags, async (tree) => {
    const keys = await tree.read();
    const found = [...keys.values()]
      .filter((key): key is Job => key.lastRun !== undefined && key.key.startsWith(prefix))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    if (flags.isOn('json')) printJson(found.map(toJsonJob));
    else print(table(found, columnsAt(tree.now()), outputWidth()));
    const refusal = tree.runsRefusal(prefix);
    if (refusal) throw refusal;
    return ExitCode.ok;
  });
}

function columnsAt(now: number): Column<Job>[] {
  return [
    {
      title: 'JOB',
      cell: ({ key }) => shownText(key),
      shrinksTo: 12,
      paint: (text) => paint('bold', text),
    },
    { title: 'EVERY', cell: ({ lastRun }) => ageText(lastRun.everyMs) },
    { title: 'LAST RUN', cell: ({ lastRun }) => `${ageText(now - +lastRun.since)} ago` },
    {
      title: 'OUTCOME',
      cell: (job) => outcomeOf(job.lastRun, job),
      paint: (text) => (/failed|died/.test(text) ? paint('red', text) : text),
    },
    { title: 'NEXT', cell: ({ lastRun }) => describeDue(lastRun, now) },
    { title: 'HELD BY', cell: nameHolders, shrinksTo: 12 },
  ];
}

function toJsonJob(job: Job): object {
  const { key, holders, lastRun } = job;
  const outcome = outcomeOf(lastRun, job);
  return { key, ...lastRun, outcome, holders: holders.map(contenderForJson) };
}

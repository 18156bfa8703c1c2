import type { LastRun } from 'zk-locks';
import {
  ageText,
  cleanText,
  nameProcess,
  type Problem,
  problemsOfKey,
  shortAgeText,
  shownText,
  textShownAs,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/inspect';
import { ExitCode } from '../exit-codes.js';
import { JSON_FLAG } from '../flags.js';
import {
  contenderForJson,
  describeMode,
  kindOf,
  modeOf,
  nameContender,
} from '../keys/describe-key.js';
import { describeDue, outcomeOf } from '../keys/describe-job.js';
import { problemView, type ProblemView } from '../keys/problem-view.js';
import { type Column, displayWidth, table } from '../output/columns.js';
import { print, printJson } from '../output/print.js';
import { outputWidth, paint } from '../output/terminal.js';
import { withTree } from '../tree-connection.js';
import type { Call, Verb } from '../verb.js';

export const show: Verb = {
  name: 'show',
  summary: 'Shows who holds a key and who waits for it.',
  operands: ['KEY'],
  connects: true,
  flags: {
    limit: { value: 'N', help: 'The maximum number of contenders shown (default 100).' },
    ...JSON_FLAG,
  },
  description: [
    'Shows the holders of KEY with their fencing tokens and nodes, the queue in order, the permits of a semaphore, the last run of a job, deadlocks, and problems with its nodes. Write KEY as it is shown: \\u{a} is a line break.',
  ],
  exitCodes: [
    ['0', 'the key was shown'],
    ['1', 'the key is not in use'],
  ],
  examples: ['zk-lock show order:42', 'zk-lock show order:42 --json'],
  run: showKey,
};

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 5_000;

function showKey({ flags, operands }: Call): Promise<number> {
  const name = textShownAs(operands[0] ?? '');
  const limit = flags.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  return withTree(flags, async (tree) => {
    const sight = await tree.look();
    const found = sight.keys.get(name);
    if (found === undefined) {
      if (!flags.isOn('json')) print(`"${shownText(name)}" is not in use`);
      return ExitCode.negative;
    }
    const { deadlocks, areDeadlocksCut } = sight;
    const circles = deadlocks.filter((circle) => circle.some(({ waitsFor }) => waitsFor === name));
    const now = tree.now();
    const problems: Problem[] = [...problemsOfKey(found, sight, now)];
    if (areDeadlocksCut) problems.push({ kind: 'deadlocks-cut', severity: 'warning' });
    const views = problems.map(problemView);
    if (flags.isOn('json')) {
      const { holders, waiters, ...facts } = found;
      const shown = {
        ...facts,
        kind: kindOf(found),
        holders: holders.slice(0, limit).map(contenderForJson),
        waiters: waiters.slice(0, limit).map(contenderForJson),
        problems: views,
        deadlocks: circles,
      };
      printJson([shown]);
    } else {
      print([...describe(found, now, limit), ...views.map(lineOf)]);
    }
    return ExitCode.ok;
  });
}

interface Row extends TreeContender {
  readonly place: string;
}

function describe(found: TreeKey, now: number, limit: number): string[] {
  const { key, holders, waiters, total, waiting, lastRun } = found;
  const rows: Row[] = [
    ...holders.map((holder) => ({ ...holder, place: 'holds' })),
    ...waiters.map((waiter, index) => ({ ...waiter, place: String(index + 1) })),
  ].slice(0, limit);
  const isFree = holders.length === 0;
  const state = isFree && found.kind !== 'semaphore' ? 'free' : describeMode(found);
  return [
    `${paint('bold', shownText(key))}: ${state}, ${waiting} waiting`,
    ...(rows.length > 0 ? lay(rows, now, outputWidth()) : []),
    ...(total > rows.length ? [`and ${total - rows.length} more`] : []),
    ...(lastRun ? [`last run: ${describeRun(lastRun, found, now)}`] : []),
  ];
}

/** A table. If it is too wide for the terminal, each node gets a line of its own below its process. */
function lay(rows: readonly Row[], now: number, width = Infinity): string[] {
  const columns = columnsAt(now);
  // The name is never cut, because users pass it to "zk-lock break".
  const whole = table(rows, [...columns, { title: 'NODE', cell: ({ node }) => node }]);
  if (whole.every((line) => displayWidth(line) <= width)) return whole;
  const [head = '', ...lines] = table(rows, columns, width);
  return [
    head,
    ...lines.flatMap((line, index) => [line, `  ${cleanText(rows[index]?.node ?? '')}`]),
  ];
}

const lineOf = ({ severity, text, remedy }: ProblemView): string =>
  paint(severity === 'serious' ? 'red' : 'yellow', `problem: ${text} ${remedy}`);

function columnsAt(now: number): Column<Row>[] {
  return [
    { title: 'PLACE', cell: ({ place }) => place },
    { title: 'MODE', cell: modeOf },
    { title: 'FOR', cell: (row) => (isShared(row) ? '-' : ageText(now - +row.queuedAt)) },
    { title: 'TOKEN', cell: ({ mode, fencingToken }) => tokenOf(mode, fencingToken) },
    { title: 'WHO', cell: nameContender, shrinksTo: 12 },
    { title: 'NOTE', cell: noteOn, shrinksTo: 6, paint: (text) => paint('yellow', text) },
  ];
}

/** Whether its node may have served other calls before the current one. */
const isShared = ({ place, holder }: Row): boolean => place === 'holds' && holder?.cohort === true;

const tokenOf = (mode: string, token: bigint): string => (mode === 'permit' ? '-' : String(token));

function noteOn({ holder }: Row): string {
  if (holder?.revokedAt !== undefined) return 'asked to release';
  if (holder?.keepMs !== undefined) return `may be kept without a call for ${holder.keepMs} ms`;
  return holder?.cohort ? 'several calls' : '';
}

function describeRun(run: LastRun, key: TreeKey, now: number): string {
  const { since, until, everyMs } = run;
  const took = until ? `, took ${shortAgeText(until.getTime() - since.getTime())}` : '';
  const when = `${ageText(now - since.getTime())} ago, by ${nameProcess(run)}${took}`;
  return `${outcomeOf(run, key)}, ${when}; every ${ageText(everyMs)}, ${describeDue(run, now)}`;
}

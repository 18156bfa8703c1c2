import { ageText, problemsOfKey, shownText, textShownAs, type TreeKey } from 'zk-locks/inspect';
import { ExitCode } from '../exit-codes.js';
import { JSON_FLAG } from '../flags.js';
import {
  contenderForJson,
  describeMode,
  heldSince,
  kindOf,
  nameHolders,
} from '../keys/describe-key.js';
import { problemView, type ProblemView } from '../keys/problem-view.js';
import { type Column, table } from '../output/columns.js';
import { print, printJson } from '../output/print.js';
import { outputWidth, paint } from '../output/terminal.js';
import { withTree } from '../tree-connection.js';
import type { Call, Verb } from '../verb.js';

export const ls: Verb = {
  name: 'ls',
  summary: 'Lists keys, their holders, and how many calls are waiting.',
  operands: ['[PREFIX]'],
  connects: true,
  flags: {
    busy: { short: 'b', help: 'Only keys that are held or waited for.' },
    older: {
      value: 'TIME',
      short: 'o',
      help: 'Only keys that have been held for longer than TIME.',
    },
    ...JSON_FLAG,
  },
  description: [
    'Lists the keys below the root in alphabetical order, or only those that begin with PREFIX: how each key is held, by which process, for how long, and how many calls are waiting. Keys that were used in the last minute or so are included.',
    'The time shown for a holder may include its wait.',
  ],
  examples: ['zk-lock ls --busy', 'zk-lock ls order: --older 5m', 'zk-lock ls --json'],
  run: list,
};

function list({ flags, operands }: Call): Promise<number> {
  const prefix = textShownAs(operands[0] ?? '');
  const olderMs = flags.durationMs('older');
  const isBusy = flags.isOn('busy');
  return withTree(flags, async (tree) => {
    const sight = await tree.look();
    const now = tree.now();
    const keys = [...sight.keys.values()]
      .filter(({ key }) => key.startsWith(prefix))
      .filter(({ total }) => !isBusy || total > 0)
      .filter((key) => olderMs === undefined || (ageOf(key, now) ?? -1) >= olderMs)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const rows = keys.map((key) => ({
      ...key,
      problems: problemsOfKey(key, sight, now).map(problemView),
    }));
    if (flags.isOn('json')) printJson(rows.map(toJsonKey));
    else print(table(rows, columnsFor(rows, now), outputWidth()));
    return ExitCode.ok;
  });
}

interface Row extends TreeKey {
  readonly problems: readonly ProblemView[];
}

function columnsFor(rows: readonly Row[], now: number): Column<Row>[] {
  const columns: Column<Row>[] = [
    {
      title: 'KEY',
      cell: ({ key }) => shownText(key),
      shrinksTo: 12,
      paint: (text) => paint('bold', text),
    },
    { title: 'HELD', cell: describeMode },
    { title: 'FOR', cell: (key) => formatAge(ageOf(key, now)) },
    { title: 'WAIT', cell: ({ waiting }) => String(waiting) },
    { title: 'BY', cell: nameHolders, shrinksTo: 12 },
  ];
  if (rows.some(({ problems }) => problems.length > 0)) {
    columns.push({
      title: 'PROBLEM',
      cell: ({ problems }) => problems.map(({ text }) => text).join(' '),
      shrinksTo: 12,
      paint: (text) => paint('red', text),
    });
  }
  return columns;
}

function ageOf(key: TreeKey, now: number): number | undefined {
  const since = heldSince(key);
  return since && now - since.getTime();
}

const formatAge = (ms: number | undefined): string => (ms === undefined ? '-' : ageText(ms));

function toJsonKey(row: Row): object {
  const { holders, waiters: _waiters, total: _total, ...facts } = row;
  return {
    ...facts,
    kind: kindOf(row),
    holders: holders.map(contenderForJson),
  };
}

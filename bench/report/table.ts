import { CURATOR } from '../contenders/curator.js';
import type { Entry, WorkloadResult } from '../measure/results.js';
import type { Workload } from '../workloads/workload.js';
import { NOTHING, factor } from './words.js';
import { ratioTo } from './column.js';

type Row = readonly string[];

/** The contender that the others are compared with: Curator, or else the first. */
function referenceOf({ entries }: WorkloadResult, name = CURATOR): Entry | undefined {
  return entries.find(({ contender }) => contender === name) ?? entries[0];
}

/** One row per contender. */
export function workloadRows({ columns }: Workload, result: WorkloadResult): Row[] {
  const reference = referenceOf(result);
  const others = {
    reference,
    entry: (contender: string) => result.entries.find((entry) => entry.contender === contender),
  };
  const title = (text: string): string =>
    text === 'ratio' && reference ? `× ${reference.contender}` : text;
  return [
    ['contender', ...columns.map((column) => title(column.title))],
    ...result.entries.map((entry) => [
      entry.contender,
      ...columns.map((column) => column.cell(entry, others)),
    ]),
  ];
}

/**
 * One row per workload and one column per contender: its `perSecond` relative to the reference.
 *
 * @param only the contenders to show
 * @param to the reference
 */
export function ratioRows(
  results: readonly WorkloadResult[],
  only?: readonly string[],
  to?: string,
): Row[] {
  const compared = results.filter((result) => (referenceOf(result) ? hasRates(result) : false));
  const names = only ?? [
    ...new Set(compared.flatMap(({ entries }) => entries.map(({ contender }) => contender))),
  ];
  return [
    ['workload', ...names],
    ...compared.map((result) => [
      result.workload,
      ...names.map((name) => ratioCell(result, name, to)),
    ]),
  ];
}

function hasRates({ entries }: WorkloadResult): boolean {
  return entries.some(({ samples }) => samples.some((sample) => sample?.perSecond));
}

function ratioCell(result: WorkloadResult, contender: string, to?: string): string {
  const reference = referenceOf(result, to);
  const entry = result.entries.find((one) => one.contender === contender);
  const spread = reference && entry && ratioTo(reference, entry);
  return spread ? factor(spread.median) : NOTHING;
}

/** Formats rows for a terminal. */
export function aligned(rows: readonly Row[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** Formats rows for a document. All columns except the first are numbers. */
export function markdown(rows: readonly Row[]): string {
  const line = (row: Row): string => `| ${row.join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, rule, ...body].map(line).join('\n');
}

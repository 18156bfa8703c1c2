import { LIBRARIES, type LibraryName } from './libraries.js';
import type { MarginOptions } from './options.js';
import { SCENARIOS, type Result } from './results.js';
import { marginOf } from './round.js';
import { summarize, type Summary } from './statistics.js';

const FIGURES = ['min', 'p1', 'median', 'p99', 'max'] as const satisfies (keyof Summary)[];

const marginsOf = (results: readonly Result[]): number[] =>
  results.map(marginOf).filter((margin) => margin !== undefined);

const isLate = (margin: number): boolean => margin <= 0;

/** Granted to the next one before the library had said that the lock is lost for certain. */
const isLostLate = ({ lostAt, grantedAt }: Result): boolean =>
  grantedAt !== undefined && (lostAt === undefined || isLate(grantedAt - lostAt));

/** Freezes whose former holder was not told before the next one had the lock. */
export function failuresOf(results: readonly Result[], library: LibraryName): Result[] {
  return results
    .filter((result) => result.library === library)
    .filter((result) => isLate(marginOf(result) ?? Infinity));
}

/** One line for each library and scenario. */
export function table(results: readonly Result[], { sessionTimeoutMs }: MarginOptions): string {
  const heads = [
    ...['library', 'freeze', 'freezes', 'told late', 'LOST late', 'not granted'],
    ...FIGURES,
  ];
  const rows = LIBRARIES.flatMap((library) =>
    SCENARIOS.flatMap((scenario) => {
      const of = results.filter((it) => it.library === library && it.scenario === scenario);
      if (of.length === 0) return [];
      return [[library, scenario, ...counts(of), ...figures(marginsOf(of), sessionTimeoutMs)]];
    }),
  );
  return aligned([heads, ...rows]);
}

function counts(results: readonly Result[]): string[] {
  const margins = marginsOf(results);
  return [
    ...[results.length, margins.filter(isLate).length],
    ...[results.filter(isLostLate).length, results.length - margins.length],
  ].map(String);
}

function figures(margins: readonly number[], sessionTimeoutMs: number): string[] {
  if (margins.length === 0) return FIGURES.map(() => '-');
  const summary = summarize(margins);
  return FIGURES.map((name) => {
    const multiple = (summary[name] / sessionTimeoutMs).toFixed(2);
    return `${summary[name].toFixed(0)} (${multiple})`;
  });
}

/** The first two columns are text, the others numbers. */
function aligned(rows: readonly (readonly string[])[]): string {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]!.length));
  const cell = (text: string, column: number): string =>
    column < 2 ? text.padEnd(width(column)) : text.padStart(width(column));
  return rows.map((row) => row.map(cell).join('  ')).join('\n');
}

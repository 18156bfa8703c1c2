/** What is said about many measured values; each of them is one that was measured. */
export interface Summary {
  readonly count: number;
  readonly min: number;
  readonly p1: number;
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

/** @throws {RangeError} where there is nothing to summarize */
export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    min: percentile(sorted, 0),
    p1: percentile(sorted, 1),
    median: percentile(sorted, 50),
    p99: percentile(sorted, 99),
    max: percentile(sorted, 100),
  };
}

/** The nearest rank: the smallest value that so many per cent of all values do not exceed. */
function percentile(sorted: readonly number[], percent: number): number {
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  const value = sorted[rank - 1];
  if (value === undefined) throw new RangeError('there are no values');
  return value;
}

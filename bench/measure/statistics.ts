/** @returns undefined where there are no values */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** The nearest rank: what so many per cent of the values do not exceed. */
export function percentileOf(values: readonly number[], percent: number): number | undefined {
  const rank = Math.max(1, Math.ceil((percent / 100) * values.length));
  return values.toSorted((a, b) => a - b)[rank - 1];
}

/**
 * Jain's index of fairness: 1 where all have the same, 1/n where one of n has everything.
 *
 * @returns undefined where nobody has anything
 */
export function fairness(shares: readonly number[]): number | undefined {
  const sum = shares.reduce((a, b) => a + b, 0);
  const squares = shares.reduce((a, b) => a + b * b, 0);
  return squares === 0 ? undefined : (sum * sum) / (shares.length * squares);
}

/** What is said about several ratios. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * How many times as much one had as the other, over rounds in which both were measured, one after
 * the other: what disturbs the machine for longer than a round disturbs both.
 *
 * @param left by round; undefined where there was nothing to measure
 */
export function ratios(
  left: readonly (number | undefined)[],
  right: readonly (number | undefined)[],
): Spread | undefined {
  const all = left.flatMap((value, round) => {
    const other = right[round];
    return value === undefined || other === undefined || other === 0 ? [] : [value / other];
  });
  const middle = median(all);
  return middle === undefined
    ? undefined
    : { median: middle, min: Math.min(...all), max: Math.max(...all) };
}

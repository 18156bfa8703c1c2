/** @returns undefined if there are no values */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** The nearest rank: this percentage of the values does not exceed it. */
export function percentileOf(values: readonly number[], percent: number): number | undefined {
  const rank = Math.max(1, Math.ceil((percent / 100) * values.length));
  return values.toSorted((a, b) => a - b)[rank - 1];
}

/**
 * Jain's index of fairness: 1 if all shares are equal, 1/n if one of n has everything.
 *
 * @returns undefined if all shares are 0
 */
export function fairness(shares: readonly number[]): number | undefined {
  const sum = shares.reduce((a, b) => a + b, 0);
  const squares = shares.reduce((a, b) => a + b * b, 0);
  return squares === 0 ? undefined : (sum * sum) / (shares.length * squares);
}

/** A summary of several ratios. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * The ratios of one contender to another, over the rounds in which both were measured, one after
 * the other. A disturbance of the machine that lasts longer than a round affects both.
 *
 * @param left by round; undefined for a round without a figure
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

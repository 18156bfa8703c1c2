import { middleOf } from '../driver/buckets.js';
import type { Counts } from '../driver/protocol.js';

export function merge(all: readonly Counts[]): Counts {
  const merged: Counts = {};
  for (const counts of all) {
    for (const [bucket, count] of Object.entries(counts)) {
      merged[bucket] = (merged[bucket] ?? 0) + count;
    }
  }
  return merged;
}

export function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * The nearest rank, in milliseconds: this percentage of the values does not exceed it, to within
 * the width of a bucket.
 *
 * @returns undefined if there are no values
 */
export function percentile(counts: Counts, percent: number): number | undefined {
  const rank = Math.max(1, Math.ceil((percent / 100) * total(counts)));
  const buckets = Object.keys(counts)
    .map(Number)
    .toSorted((a, b) => a - b);
  let seen = 0;
  for (const bucket of buckets) {
    seen += counts[bucket] ?? 0;
    if (seen >= rank) return middleOf(bucket);
  }
  return undefined;
}

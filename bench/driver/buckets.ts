/** Buckets of durations, each 2% wider than the previous one, in the drivers of all languages. */
const PER_E = 50;

export function bucketOf(ms: number): number {
  return Math.floor(Math.log(Math.max(ms, 1e-6)) * PER_E);
}

/** The middle of a bucket, in milliseconds. */
export function middleOf(bucket: number): number {
  return Math.exp((bucket + 0.5) / PER_E);
}

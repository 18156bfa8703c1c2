/**
 * The figures of one contender in one round of one workload. Contenders are compared by
 * `perSecond`; a workload adds figures of its own.
 */
export type Sample = Readonly<Record<string, number>>;

/** One contender's rounds of one workload. */
export interface Entry {
  readonly contender: string;
  /** The value of `perSecond` in each window of the warm-up. */
  readonly warmUp: readonly number[];
  /** Null for a round that failed. */
  readonly samples: (Sample | null)[];
}

/** The mean number of running or waiting processes during a minute, contenders included. */
export interface Load {
  readonly before: number;
  /** The highest value during the round. */
  readonly during: number;
}

export interface WorkloadResult {
  readonly workload: string;
  readonly entries: readonly Entry[];
  /** The machine's load, by round. */
  readonly loads: readonly Load[];
}

/** A round that threw. */
export interface Failure {
  readonly workload: string;
  readonly contender: string;
  readonly message: string;
}

export interface Results {
  readonly workloads: readonly WorkloadResult[];
  readonly failures: readonly Failure[];
}

/** A figure of each round. */
export function figuresOf({ samples }: Entry, name: string): (number | undefined)[] {
  return samples.map((sample) => sample?.[name]);
}

/** Contenders whose rates were still changing when their rounds began. */
export function unsteady({ entries }: WorkloadResult): string[] {
  return entries.flatMap(({ contender, warmUp }) =>
    warmUp.length > 0 && !isLevel(warmUp) ? [contender] : [],
  );
}

const LEVEL_WINDOWS = 3;
const LEVEL = 1.05;

/** Whether the last three rates are within five per cent. */
export function isLevel(rates: readonly number[]): boolean {
  const last = rates.slice(-LEVEL_WINDOWS);
  return last.length === LEVEL_WINDOWS && Math.max(...last) <= LEVEL * Math.min(...last);
}

import type { Counts } from '../driver/protocol.js';

/** What one contender came to in one round of one workload. */
export interface Sample {
  /** `perSecond` is what contenders are compared by; the others are what a workload has to say. */
  readonly figures: Readonly<Record<string, number>>;
  /** From asking to having. */
  readonly acquire?: Counts;
  /** From asking to having given back. */
  readonly cycle?: Counts;
}

/** One contender's rounds of one workload, without the warm-up; nothing for a round that failed. */
export interface Entry {
  readonly contender: string;
  readonly samples: (Sample | undefined)[];
}

export interface WorkloadResult {
  readonly workload: string;
  readonly entries: readonly Entry[];
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
  return samples.map((sample) => sample?.figures[name]);
}

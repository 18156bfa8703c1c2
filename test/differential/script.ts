import type { Step } from './steps.js';

/** The servers of a script. */
export interface Setting {
  /** A single server, three voters, or three voters and an observer. */
  readonly servers: 1 | 3 | 4;
  /** Whether the observer connects to the first follower. */
  readonly observerMaster?: boolean;
  readonly tickTimeMs: number;
  readonly minSessionTimeoutMs?: number;
  readonly maxSessionTimeoutMs?: number;
  readonly containerCheckIntervalMs: number;
  /** Whether servers without a majority serve read-only clients. */
  readonly readOnlyMode?: boolean;
  readonly maxFrameBytes?: number;
}

/** A program with the same answers from real servers of several versions and simulated ones. */
export interface Script {
  readonly name: string;
  readonly setting: Setting;
  readonly steps: readonly Step[];
  /** The number of ticks by which times may differ. */
  readonly ticks: number;
}

/** Containers remain, unless a script concerns them: their removal uses a zxid. */
const ONE: Setting = { servers: 1, tickTimeMs: 500, containerCheckIntervalMs: 10_000_000 };

export function script(
  name: string,
  setting: Partial<Setting>,
  steps: readonly Step[],
  ticks = 1,
): Script {
  return { name, setting: { ...ONE, ...setting }, steps, ticks };
}

/** Whether it disturbs its servers, so that they cannot be shared. */
export function kills({ steps }: Script): boolean {
  return steps.some(({ does }) => does === 'kill' || does === 'stop');
}

/** Whether it reports how long something took, or waits. */
export function takesTime({ steps }: Script): boolean {
  return steps.some(
    (step) => step.does === 'wait' || (step.does === 'await' && step.timed === true),
  );
}

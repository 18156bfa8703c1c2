import type { Step } from './steps.js';

/** The servers of a script. */
export interface Setting {
  /** One alone, three that vote, or these and an observer. */
  readonly servers: 1 | 3 | 4;
  /** Whether the observer follows the first follower. */
  readonly observerMaster?: boolean;
  readonly tickTimeMs: number;
  readonly minSessionTimeoutMs?: number;
  readonly maxSessionTimeoutMs?: number;
  readonly containerCheckIntervalMs: number;
  /** Whether servers without a majority serve clients that only read. */
  readonly readOnlyMode?: boolean;
  readonly maxFrameBytes?: number;
}

/** What real servers of several versions and simulated ones are to answer alike. */
export interface Script {
  readonly name: string;
  readonly setting: Setting;
  readonly steps: readonly Step[];
  /** By how many ticks times may differ. */
  readonly ticks: number;
}

/** Containers stay, unless a script is about them: their removal takes a zxid. */
const ONE: Setting = { servers: 1, tickTimeMs: 500, containerCheckIntervalMs: 10_000_000 };

export function script(
  name: string,
  setting: Partial<Setting>,
  steps: readonly Step[],
  ticks = 1,
): Script {
  return { name, setting: { ...ONE, ...setting }, steps, ticks };
}

/** Whether it needs servers of its own, which it disturbs. */
export function kills({ steps }: Script): boolean {
  return steps.some(({ does }) => does === 'kill' || does === 'stop');
}

/** Whether it says how long something took, or waits. */
export function takesTime({ steps }: Script): boolean {
  return steps.some(
    (step) => step.does === 'wait' || (step.does === 'await' && step.timed === true),
  );
}

import { ZkLockConfigError } from '../zk-lock-error.js';
import { readOptions, show } from '../given-options.js';
import { MAX_GRANTS } from '../queue/fencing-token.js';
import { MAX_TIMER_MS } from '../queue/wait.js';

/** How long the calls of one process may hand a lock over to each other. */
export interface CohortOptions {
  /**
   * How often the lock passes on within the process before others have their turn, from 1 to 1,023.
   * @default 1000
   */
  maxHandovers?: number | undefined;
  /**
   * For so long, in milliseconds, it passes on; the section that runs then is not cut short.
   * @default 100
   */
  maxTenureMs?: number | undefined;
}

export interface TenureLimits {
  readonly maxHandovers: number;
  readonly maxTenureMs: number;
}

const DEFAULTS: TenureLimits = { maxHandovers: 1_000, maxTenureMs: 100 };

/**
 * The limits; undefined where there are no cohorts.
 *
 * @throws {ZkLockConfigError}
 */
export function resolveCohort(given: CohortOptions | false): TenureLimits | undefined {
  if (given === false) return undefined;
  if (typeof given !== 'object' || (given as unknown) === null) {
    throw new ZkLockConfigError(
      'cohort',
      `${show(given)} is none`,
      'Use { maxHandovers, maxTenureMs }, or false.',
    );
  }
  const options = readOptions(given, Object.keys(DEFAULTS));
  const { maxHandovers = DEFAULTS.maxHandovers, maxTenureMs = DEFAULTS.maxTenureMs } = options;
  check('maxHandovers', maxHandovers, MAX_GRANTS - 1);
  check('maxTenureMs', maxTenureMs, MAX_TIMER_MS);
  return { maxHandovers, maxTenureMs };
}

function check(option: string, value: unknown, most: number): void {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most) return;
  throw new ZkLockConfigError(
    `cohort.${option}`,
    `${show(value)} is no limit`,
    `Use a whole number from 1 to ${most}.`,
  );
}

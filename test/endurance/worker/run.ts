import type { Gauge } from './gauge.js';

/** What the worker is started with. */
export interface Run {
  /** Cycles of taking and giving back locks, or ends of sessions. */
  readonly of: 'cycles' | 'sessions';
  readonly steps: number;
  /** How often all pauses, to be measured. */
  readonly pauses: number;
  readonly seed: number;
  readonly port: number;
  readonly tickTimeMs: number;
}

/** All that is counted at one pause of a run. */
export interface Sample extends Gauge {
  /** How many steps were done. */
  readonly done: number;
}

import type { Gauge } from './gauge.js';

/** The arguments of the worker. */
export interface Run {
  /** Cycles of acquiring and releasing locks, or ends of sessions. */
  readonly of: 'cycles' | 'sessions';
  readonly steps: number;
  /** How often everything pauses for a measurement. */
  readonly pauses: number;
  readonly seed: number;
  readonly port: number;
  readonly tickTimeMs: number;
}

/** All counts at one pause of a run. */
export interface Sample extends Gauge {
  /** The number of steps done. */
  readonly done: number;
}

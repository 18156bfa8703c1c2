import type { ServerGauge } from './server-gauge.js';
import type { Gauge } from './worker/protocol.js';

/** All that is counted at one pause of a run. */
export interface Sample extends Gauge, ServerGauge {
  /** How many steps were done: cycles, or sessions that were ended. */
  readonly done: number;
  readonly seconds: number;
}

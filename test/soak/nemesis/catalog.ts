import { CALM } from './calm.js';
import { COUNTER_FAULT } from './counter-fault.js';
import { ENSEMBLE_FAULTS } from './ensemble-faults.js';
import type { Fault } from './fault.js';
import { LIMIT_FAULTS } from './limit-faults.js';
import { NETWORK_FAULTS } from './network-faults.js';
import { OPERATOR_FAULTS } from './operator-faults.js';
import { PROCESS_FAULTS } from './process-faults.js';
import { SERVER_FAULTS } from './server-faults.js';

/** Every fault of a run, each of which is met once before any is met again. */
export const FAULTS: readonly Fault[] = [
  ...CALM,
  ...PROCESS_FAULTS,
  ...NETWORK_FAULTS,
  ...SERVER_FAULTS,
  ...LIMIT_FAULTS,
  ...ENSEMBLE_FAULTS,
  ...OPERATOR_FAULTS,
  COUNTER_FAULT,
];

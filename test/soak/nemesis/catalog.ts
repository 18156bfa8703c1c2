import type { Fault } from './fault.js';
import { NETWORK_FAULTS } from './network-faults.js';
import { PROCESS_FAULTS } from './process-faults.js';
import { SERVER_FAULTS } from './server-faults.js';

/** What a round without a fault does, which the others are compared with. */
const CALM: Fault = { name: 'none', lasts: [0.5, 0.5], inflict: async () => async () => {} };

/**
 * Every fault of a run. They are those that real servers, sockets and processes answer by themselves;
 * the simulation plays these and all others, in thousands of stories.
 */
export const FAULTS: readonly Fault[] = [
  CALM,
  ...PROCESS_FAULTS,
  ...NETWORK_FAULTS,
  ...SERVER_FAULTS,
];

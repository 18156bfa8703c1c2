import type { Fault } from './fault.js';
import { NETWORK_FAULTS } from './network-faults.js';
import { PROCESS_FAULTS } from './process-faults.js';
import { SERVER_FAULTS } from './server-faults.js';

/** A round without a fault, as a baseline for the others. */
const CALM: Fault = { name: 'none', lasts: [0.5, 0.5], inflict: async () => async () => {} };

/**
 * The faults that depend on how real servers, sockets and processes behave. The simulation plays
 * these and all others in thousands of stories.
 */
export const FAULTS: readonly Fault[] = [
  CALM,
  ...PROCESS_FAULTS,
  ...NETWORK_FAULTS,
  ...SERVER_FAULTS,
];

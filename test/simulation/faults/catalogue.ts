import type { Fault } from './fault.js';
import { networkFaults } from './network-faults.js';
import { operatorFaults } from './operator-faults.js';
import { processFaults } from './process-faults.js';
import { serverFaults } from './server-faults.js';

/** All that can go wrong, by its name in plans. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  ...processFaults,
  ...networkFaults,
  ...serverFaults,
  ...operatorFaults,
};

export const FAULT_KINDS: readonly string[] = Object.keys(FAULTS);

import type { Fault } from './fault.js';
import { networkFaults } from './network-faults.js';
import { PLANTS } from './plants.js';
import { operatorFaults } from './operator-faults.js';
import { processFaults } from './process-faults.js';
import { serverFaults } from './server-faults.js';

/** All that can go wrong, by its name in plans, besides what is planted on purpose. */
const DRAWN: Readonly<Record<string, Fault>> = {
  ...processFaults,
  ...networkFaults,
  ...serverFaults,
  ...operatorFaults,
};

export const FAULT_KINDS: readonly string[] = Object.keys(DRAWN);

/** By the names in plans. */
export const FAULTS: Readonly<Record<string, Fault>> = { ...DRAWN, ...PLANTS };

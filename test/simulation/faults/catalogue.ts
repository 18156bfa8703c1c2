import type { Fault } from './fault.js';
import { networkFaults } from './network-faults.js';
import { PLANTS } from './plants.js';
import { operatorFaults } from './operator-faults.js';
import { processFaults } from './process-faults.js';
import { serverFaults } from './server-faults.js';

/** The faults that plans can draw, by name. */
const DRAWN: Readonly<Record<string, Fault>> = {
  ...processFaults,
  ...networkFaults,
  ...serverFaults,
  ...operatorFaults,
};

export const FAULT_KINDS: readonly string[] = Object.keys(DRAWN);

/** All faults by name, including the planted violations. */
export const FAULTS: Readonly<Record<string, Fault>> = { ...DRAWN, ...PLANTS };

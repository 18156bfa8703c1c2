import { it } from 'vitest';
import { USUAL } from './configuration/configuration.js';
import { meetEachOnce, timeoutMsFor } from './meet-each-once.js';
import { CALM } from './nemesis/calm.js';
import { CROWD_FAULT } from './nemesis/crowd-fault.js';
import { ENSEMBLE_FAULTS } from './nemesis/ensemble-faults.js';
import { suits } from './nemesis/fault.js';
import { OPERATOR_FAULTS } from './nemesis/operator-faults.js';
import { PROCESS_FAULTS } from './nemesis/process-faults.js';

/** Those that need a rarer configuration are met by the long run. */
const faults = [
  ...CALM,
  ...PROCESS_FAULTS,
  ...ENSEMBLE_FAULTS,
  ...OPERATOR_FAULTS,
  CROWD_FAULT,
].filter((fault) => suits(fault, USUAL));

it(
  `keeps every promise under each of ${faults.length} faults of processes, data and operators`,
  async () => {
    await meetEachOnce(faults, { ...USUAL, client: 'native' });
  },
  timeoutMsFor(faults),
);

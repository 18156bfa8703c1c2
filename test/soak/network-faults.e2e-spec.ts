import { it } from 'vitest';
import { USUAL } from './configuration/configuration.js';
import { meetEachOnce, timeoutMsFor } from './meet-each-once.js';
import { suits } from './nemesis/fault.js';
import { LIMIT_FAULTS } from './nemesis/limit-faults.js';
import { NETWORK_FAULTS } from './nemesis/network-faults.js';

/** Those that need a rarer configuration are met by the long run. */
const faults = [...NETWORK_FAULTS, ...LIMIT_FAULTS].filter((fault) => suits(fault, USUAL));

it(
  `keeps every promise under each of ${faults.length} faults of networks and limits`,
  async () => {
    await meetEachOnce(faults, { ...USUAL, client: 'native' });
  },
  timeoutMsFor(faults),
);

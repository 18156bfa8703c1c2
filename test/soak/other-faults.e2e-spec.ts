import { it } from 'vitest';
import { USUAL } from './configuration/configuration.js';
import { meetEachOnce } from './meet-each-once.js';
import { FAULTS } from './nemesis/catalog.js';
import { suits } from './nemesis/fault.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

/** Those that need a rarer configuration are met by the long run. */
const faults = FAULTS.filter((fault) => !SERVER_FAULTS.includes(fault) && suits(fault, USUAL));

it(`keeps every promise under each of ${faults.length} faults of processes, networks, limits, data and operators`, async () => {
  await meetEachOnce(faults, { ...USUAL, client: 'native' });
}, 300_000);

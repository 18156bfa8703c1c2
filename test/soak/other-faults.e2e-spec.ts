import { it } from 'vitest';
import { USUAL } from './configuration/configuration.js';
import { meetEachOnce } from './meet-each-once.js';
import { FAULTS } from './nemesis/catalog.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

const faults = FAULTS.filter((fault) => !SERVER_FAULTS.includes(fault));

it(`keeps every promise under each of ${faults.length} faults of processes, networks and operators`, async () => {
  await meetEachOnce(faults, { ...USUAL, client: 'native' });
}, 300_000);

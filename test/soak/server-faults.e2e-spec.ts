import { it } from 'vitest';
import { USUAL } from './configuration/configuration.js';
import { meetEachOnce } from './meet-each-once.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

it(`keeps every promise under each of ${SERVER_FAULTS.length} faults of servers`, async () => {
  await meetEachOnce(SERVER_FAULTS, { ...USUAL, client: 'wire' });
}, 300_000);

import { it } from 'vitest';
import { USUAL } from './configuration/configuration.js';
import { meetEachOnce, timeoutMsFor } from './meet-each-once.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

it(
  `keeps every promise under each of ${SERVER_FAULTS.length} faults of servers`,
  async () => {
    await meetEachOnce(SERVER_FAULTS, { ...USUAL, client: 'wire' });
  },
  timeoutMsFor(SERVER_FAULTS),
);

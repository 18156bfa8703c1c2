import { RUN_LENGTH_COLUMN, THROUGHPUT_COLUMNS } from '../report/column.js';
import { ADDED_ROUND_TRIP_MS } from '../servers/stage.js';
import { FOUR_SINGLE } from './one-key.js';
import { throughput } from './throughput.js';

export const FOUR_DISTANT = `${FOUR_SINGLE}, +${ADDED_ROUND_TRIP_MS} ms`;

/** A relay simulates servers on other machines. */
export const roundTrips = [
  throughput({
    name: `own key, 1 task, +${ADDED_ROUND_TRIP_MS} ms`,
    about: `As with one task above, with ${ADDED_ROUND_TRIP_MS} ms added to every round trip by a relay.`,
    ...{ keys: 'own', tasks: 1, place: 'distant' },
  }),
  throughput({
    name: FOUR_DISTANT,
    about: `Four processes with one task each, which all want the same key, with ${ADDED_ROUND_TRIP_MS} ms added to every round trip by a relay.`,
    ...{ keys: 'one', tasks: 1, processes: 4, place: 'distant' },
    columns: [...THROUGHPUT_COLUMNS, RUN_LENGTH_COLUMN],
  }),
];

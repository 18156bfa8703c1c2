import { ADDED_ROUND_TRIP_MS } from '../servers/stage.js';
import { throughput } from './throughput.js';

export const roundTrip = throughput({
  name: `own key, 1 task, +${ADDED_ROUND_TRIP_MS} ms`,
  about: `As with one task above, with ${ADDED_ROUND_TRIP_MS} ms added to every round trip by a relay.`,
  ...{ keys: 'own', tasks: 1, place: 'distant' },
});

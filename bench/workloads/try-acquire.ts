import { throughput } from './throughput.js';

export const tryAcquire = throughput({
  name: 'tryAcquire, busy key, 16 tasks',
  about:
    '16 tasks of one process try for a key that is held all the time, and are refused at once.',
  ...{ keys: 'one', tasks: 16, work: 'try' },
});

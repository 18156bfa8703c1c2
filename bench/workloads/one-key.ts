import { throughput } from './throughput.js';

/** Everybody is in the way of everybody. */
export const oneKey = [
  throughput({
    name: 'one key, 64 tasks',
    about:
      '64 tasks of one process that all want the same key. Fairness is Jain’s index: 1 where all tasks get the same, 1/64 where one gets everything.',
    ...{ keys: 'one', tasks: 64 },
  }),
  throughput({
    name: 'one key, 4 × 16 tasks',
    about: 'Four processes with 16 tasks each, which all want the same key.',
    ...{ keys: 'one', tasks: 16, processes: 4 },
  }),
];

import { HAND_OVER_COLUMN, THROUGHPUT_COLUMNS } from '../report/column.js';
import { throughput } from './throughput.js';

export const ONE_KEY = 'one key, 64 tasks';
export const FOUR_PROCESSES = 'one key, 4 × 16 tasks';

/** All tasks compete for one key. */
export const oneKey = [
  throughput({
    name: ONE_KEY,
    about:
      '64 tasks of one process that all want the same key. Fairness is Jain’s index: 1 where all tasks get the same, 1/64 where one gets everything.',
    ...{ keys: 'one', tasks: 64 },
    columns: [...THROUGHPUT_COLUMNS, HAND_OVER_COLUMN],
  }),
  throughput({
    name: FOUR_PROCESSES,
    about: 'Four processes with 16 tasks each, which all want the same key.',
    ...{ keys: 'one', tasks: 16, processes: 4 },
  }),
];

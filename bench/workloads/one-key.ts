import {
  EXCHANGE_COLUMNS,
  HAND_OVER_COLUMN,
  RUN_LENGTH_COLUMN,
  THROUGHPUT_COLUMNS,
  VISITOR_COLUMNS,
} from '../report/column.js';
import { throughput, VISITOR_PAUSE_MS } from './throughput.js';

export const ONE_KEY = 'one key, 64 tasks';
export const FOUR_PROCESSES = 'one key, 4 × 16 tasks';
export const FOUR_AT_RANDOM = 'one key, 4 × 16 tasks, random arrivals and holds';
export const FOUR_SINGLE = 'one key, 4 × 1 task';
export const LONELY = 'one key, 3 × 16 tasks, and a visitor';

const PAUSE_MS = 20;
const HOLD_MS = 1;

const columns = [...THROUGHPUT_COLUMNS, RUN_LENGTH_COLUMN, ...EXCHANGE_COLUMNS];

/** All tasks compete for one key. */
export const oneKey = [
  throughput({
    name: ONE_KEY,
    about:
      '64 tasks of one process that all want the same key. Fairness is Jain’s index: 1 if all tasks get the same, 1/64 if one gets everything.',
    ...{ keys: 'one', tasks: 64 },
    columns: [...THROUGHPUT_COLUMNS, HAND_OVER_COLUMN, ...EXCHANGE_COLUMNS],
  }),
  throughput({
    name: FOUR_PROCESSES,
    about:
      'Four processes with 16 tasks each, which all want the same key. “Grants in a row” is how many consecutive grants go to the same process.',
    ...{ keys: 'one', tasks: 16, processes: 4, columns },
  }),
  throughput({
    name: FOUR_AT_RANDOM,
    about: `The same, but each task holds the lock for 0 to ${2 * HOLD_MS} ms and pauses for 0 to ${2 * PAUSE_MS} ms after it, at random. The hold is not part of a cycle’s time.`,
    ...{ keys: 'one', tasks: 16, processes: 4, skill: 'random', columns },
    ...{ pauseMs: PAUSE_MS, holdMs: HOLD_MS },
  }),
  throughput({
    name: FOUR_SINGLE,
    about: 'Four processes with one task each, which all want the same key.',
    ...{ keys: 'one', tasks: 1, processes: 4, columns },
  }),
  throughput({
    name: LONELY,
    about: `Three processes with 16 tasks each, and a fourth, the visitor, with one task that pauses ${VISITOR_PAUSE_MS} ms after each cycle; all want the same key. The figures on the right are the visitor’s own.`,
    ...{ keys: 'one', tasks: 16, processes: 3, visitors: 1 },
    columns: [...columns, ...VISITOR_COLUMNS],
  }),
];

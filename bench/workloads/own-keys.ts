import { RAW_SOCKET } from '../contenders/raw.js';
import { acquireIn, THROUGHPUT_COLUMNS, VISITOR_COLUMNS } from '../report/column.js';
import { throughput, VISITOR_PAUSE_MS } from './throughput.js';

export const OWN_KEY = 'own key, 1 task';
export const OWN_KEYS = 'own keys, 64 tasks';

/** Tasks that do not compete. */
export const ownKeys = [1, 16, 64].map((tasks) =>
  throughput({
    name: tasks === 1 ? OWN_KEY : `own keys, ${tasks} tasks`,
    about: `${tasks === 1 ? 'One task with a key that no other task wants' : `${tasks} tasks of one process, each with its own key`}. The wait is also given as a multiple of the time of one create, measured in the same rounds.`,
    ...{ keys: 'own', tasks },
    columns: [...THROUGHPUT_COLUMNS, acquireIn('socket creates', RAW_SOCKET)],
  }),
);

export const VISITED = 'own keys, 64 tasks, and a visitor';

export const visitedKeys = throughput({
  name: VISITED,
  about: `The same, while a second process, the visitor, wants 3 of the 64 keys: a task for each, with a pause of ${VISITOR_PAUSE_MS} ms after each cycle. The figures on the right are its own.`,
  ...{ keys: 'own', tasks: 64, visitors: 3, skill: 'visited' },
  columns: [...THROUGHPUT_COLUMNS, ...VISITOR_COLUMNS],
});

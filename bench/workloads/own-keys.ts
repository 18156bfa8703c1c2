import { RAW_NATIVE, RAW_SOCKET } from '../contenders/raw.js';
import { acquireIn, THROUGHPUT_COLUMNS } from '../report/column.js';
import { throughput } from './throughput.js';

/** Nobody is ever in the way. */
export const ownKeys = [
  throughput({
    name: 'own key, 1 task',
    about:
      'One task takes and gives back a key that nobody else wants; how long it waits is also told in creates of one node, measured in the same rounds.',
    ...{ keys: 'own', tasks: 1 },
    columns: [
      ...THROUGHPUT_COLUMNS,
      acquireIn('npm zookeeper creates', RAW_NATIVE),
      acquireIn('socket creates', RAW_SOCKET),
    ],
  }),
  ...[16, 64].map((tasks) =>
    throughput({
      name: `own keys, ${tasks} tasks`,
      about: `${tasks} tasks of one process, each with a key of its own.`,
      ...{ keys: 'own', tasks },
    }),
  ),
];

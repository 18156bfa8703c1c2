import { EXCHANGE_COLUMNS, THROUGHPUT_COLUMNS } from '../report/column.js';
import { throughput } from './throughput.js';

export const READ_HEAVY = 'one key, 64 tasks, 95% read';

export const readHeavy = throughput({
  name: READ_HEAVY,
  about:
    '64 tasks of one process on one key, each of which reads 19 times in 20 and then writes once.',
  ...{ keys: 'one', tasks: 64, work: 'mixed' },
  columns: [...THROUGHPUT_COLUMNS, ...EXCHANGE_COLUMNS],
});

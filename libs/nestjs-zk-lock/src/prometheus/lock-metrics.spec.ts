import { expect, it } from 'vitest';
import { collectLockMetrics } from './lock-metrics.js';

it.each<[object, string]>([
  [{ register: {} }, '`register` is not an option. Use registry, buckets.'],
  [{ registry: 'default' }, "`registry` must be an object; got 'default'."],
  [{ buckets: [1, 1] }, '`buckets` must be an array of rising numbers of seconds; got [ 1, 1 ].'],
  [{ buckets: ['1'] }, "`buckets` must be an array of rising numbers of seconds; got [ '1' ]."],
])('collects no metrics with the options %j', (options, message) => {
  expect(() => collectLockMetrics(options)).toThrow(message);
});

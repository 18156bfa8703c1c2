import { expect, it } from 'vitest';
import { instrumentLocks } from '../opentelemetry/instrument-locks.js';
import { collectLockMetrics } from '../prometheus/lock-metrics.js';

it.each<[object, string]>([
  [{ register: {} }, '`register` is not an option. Use registry, buckets.'],
  [{ registry: 'default' }, "`registry` must be an object; got 'default'."],
  [{ buckets: [1, 1] }, '`buckets` must be an array of rising numbers of seconds; got [ 1, 1 ].'],
  [{ buckets: ['1'] }, "`buckets` must be an array of rising numbers of seconds; got [ '1' ]."],
])('collects no metrics with the options %j', (options, message) => {
  expect(() => collectLockMetrics(options)).toThrow(message);
});

it.each<[object, string]>([
  [{ key: true }, '`key` is not an option. Use tracerProvider, meterProvider, keys.'],
  [{ keys: 'order' }, "`keys` must be true or false; got 'order'."],
  [{ tracerProvider: true }, '`tracerProvider` must be an object, or false; got true.'],
])('creates no spans with the options %j', (options, message) => {
  expect(() => instrumentLocks(options)).toThrow(message);
});

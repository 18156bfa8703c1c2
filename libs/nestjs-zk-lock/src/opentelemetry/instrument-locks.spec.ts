import { expect, it } from 'vitest';
import { instrumentLocks } from './instrument-locks.js';

it.each<[object, string]>([
  [{ key: true }, '`key` is not an option. Use tracerProvider, meterProvider, keys.'],
  [{ keys: 'order' }, "`keys` must be true or false; got 'order'."],
  [{ tracerProvider: true }, '`tracerProvider` must be an object, or false; got true.'],
])('creates no spans with the options %j', (options, message) => {
  expect(() => instrumentLocks(options)).toThrow(message);
});

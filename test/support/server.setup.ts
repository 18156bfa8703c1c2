import { readConnections } from 'zk-locks/events';
import { afterAll, expect } from 'vitest';
import './open-proxy.js';

/** The next file of tests may run in the same process. */
afterAll(() => {
  expect(readConnections(), 'connections that this file has not closed').toEqual([]);
});

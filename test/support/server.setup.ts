import { readConnections } from 'zk-locks/events';
import { afterAll, expect } from 'vitest';
import './open-proxy.js';

/** Connections must be closed, because the next test file may run in the same process. */
afterAll(() => {
  expect(readConnections(), 'connections that this file has not closed').toEqual([]);
});

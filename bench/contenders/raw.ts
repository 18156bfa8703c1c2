import type { Contender } from './contender.js';
import { startNodeDriver } from './node-driver.js';

const common = { backend: 'zookeeper', skills: ['own'], maxWaiters: 0 } as const;

export const RAW_SOCKET = 'raw-socket';
export const RAW_BATCH = 'raw-batch';

const BATCH = 64;

/** No locks: it creates and deletes a node, and reads nothing. */
export const raws: readonly Contender[] = [
  {
    ...common,
    name: RAW_SOCKET,
    about:
      'no lock: one create and one delete of an ephemeral sequential node over a bare socket, requests pipelined',
    start: (servers) => startNodeDriver('raw-socket', servers, { root: '/bench-raw-socket' }),
  },
  {
    ...common,
    name: RAW_BATCH,
    about: `no lock: the same over a bare socket, up to ${BATCH} requests in one \`multi\``,
    minTasks: 16,
    start: (servers) =>
      startNodeDriver('raw-socket', servers, { root: '/bench-raw-batch', batch: BATCH }),
  },
];

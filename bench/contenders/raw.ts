import type { Contender } from './contender.js';
import { startNodeDriver } from './node-driver.js';

const common = { backend: 'zookeeper', skills: ['own'], maxWaiters: 0 } as const;

export const RAW_SOCKET = 'raw-socket';
export const RAW_BATCH = 'raw-batch';
export const RAW_QUEUE = 'raw-queue';

const BATCH = 64;

/** The first two are not locks: they create and delete a node, and read nothing. */
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
  {
    ...common,
    name: RAW_QUEUE,
    about:
      'the bare recipe over a bare socket: create and list together, watch the node before one’s own, list again, delete; nothing is looked after, not even a lost answer',
    skills: ['one', 'random'],
    start: (servers) =>
      startNodeDriver('raw-socket', servers, { root: '/bench-raw-queue', queues: true }),
  },
];

import type { Contender } from './contender.js';
import { startNodeDriver } from './node-driver.js';

export const etcd: Contender = {
  name: 'etcd3',
  about:
    'npm `etcd3` on etcd; its lock does not wait, so a busy one is tried again as redlock does',
  backend: 'etcd',
  skills: ['own', 'one', 'try'],
  maxWaiters: 0,
  start: (servers) => startNodeDriver('etcd', servers),
};

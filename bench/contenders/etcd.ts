import type { Contender } from './contender.js';
import { startNodeDriver } from './node-driver.js';

const common = { backend: 'etcd', maxWaiters: 0 } as const;

export const etcds: readonly Contender[] = [
  {
    ...common,
    name: 'etcd3',
    about:
      'npm `etcd3` on etcd; its lock does not wait, so a busy one is tried again as redlock does',
    skills: ['own', 'one', 'try'],
    start: (servers) => startNodeDriver('etcd', servers),
  },
  {
    ...common,
    name: 'etcd-lock',
    about:
      'etcd’s own lock, the RPC `Lock` of its servers; callers wait in its queue, each by a lease',
    skills: ['own', 'one'],
    start: (servers) => startNodeDriver('etcd-rpc', servers),
  },
];

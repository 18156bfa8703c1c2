import type { Contender } from './contender.js';
import { startNodeDriver } from './node-driver.js';

const common = {
  skills: ['own', 'one', 'try'],
  // Its waiters ask again and again: there is no line to hand over in.
  maxWaiters: 0,
  start: (servers: string) => startNodeDriver('redlock', servers),
} as const;

export const redlocks: readonly Contender[] = [
  {
    ...common,
    name: 'redlock-fsync',
    about:
      'redlock over ioredis, Redis with `appendfsync always`, so that a grant survives a crash',
    backend: 'redis-fsync',
  },
  {
    ...common,
    name: 'redlock-memory',
    about: 'redlock over ioredis, Redis without persistence: a crash forgets who holds a lock',
    backend: 'redis',
  },
];

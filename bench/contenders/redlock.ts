import type { Contender } from './contender.js';
import { startNodeDriver } from './node-driver.js';

export const REDLOCK_FSYNC = 'redlock-fsync';
export const REDLOCK_MEMORY = 'redlock-memory';

const common = {
  skills: ['own', 'one', 'visited', 'try'],
  // Its waiters poll, so there is no queue to hand over in.
  maxWaiters: 0,
  start: (servers: string) => startNodeDriver('redlock', servers),
} as const;

export const redlocks: readonly Contender[] = [
  {
    ...common,
    name: REDLOCK_FSYNC,
    about:
      'redlock over ioredis, Redis with `appendfsync always`, so that a grant survives a crash',
    backend: 'redis-fsync',
  },
  {
    ...common,
    name: REDLOCK_MEMORY,
    about: 'redlock over ioredis, Redis without persistence: a crash forgets who holds a lock',
    backend: 'redis',
  },
];

import type { Driver } from './driver.js';

/** What a contender's locks are kept by. */
export type Backend = 'zookeeper' | 'redis' | 'redis-fsync' | 'etcd';

/**
 * What a contender can be asked for: keys of which each task has its own, or that all want, or some
 * of which a second process wants; readers beside writers; a try that does not wait. `decorators` are
 * ours alone.
 */
export type Skill = 'own' | 'one' | 'visited' | 'mixed' | 'try' | 'decorators';

/** One library, or one way to use it, as one line in each table. */
export interface Contender {
  /** Without spaces: it is part of paths. */
  readonly name: string;
  /** What it is, as a line of the results. */
  readonly about: string;
  readonly backend: Backend;
  readonly skills: readonly Skill[];
  /** How many may wait for one key, at most. */
  readonly maxWaiters: number;
  /** Below so many tasks there is nothing to measure. @default 1 */
  readonly minTasks?: number;
  start(servers: string): Promise<Driver>;
}

import type { Driver } from './driver.js';

/** The server that keeps a contender's locks. */
export type Backend = 'zookeeper' | 'redis' | 'redis-fsync';

/**
 * Work that a contender supports: a key for each task, one key for all, or some keys shared with a
 * second process; readers beside writers; calls that do not wait; random pauses and holds. Only our
 * library has `decorators` and `scale`, which measures many waiters in several processes, memory
 * and permits.
 */
export type Skill = 'own' | 'one' | 'visited' | 'mixed' | 'try' | 'random' | 'scale' | 'decorators';

/** One library, or one way to use it, as one line in each table. */
export interface Contender {
  /** Without spaces: it is part of paths. */
  readonly name: string;
  /** Its description in the results. */
  readonly about: string;
  readonly backend: Backend;
  readonly skills: readonly Skill[];
  /** The maximum number of waiters for one key. */
  readonly maxWaiters: number;
  /** The minimum number of tasks for a meaningful measurement. @default 1 */
  readonly minTasks?: number;
  start(servers: string): Promise<Driver>;
}

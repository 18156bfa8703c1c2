import type { Driver } from './driver.js';

/** The server that keeps a contender's locks. */
export type Backend = 'zookeeper' | 'redis' | 'redis-fsync';

/**
 * Work that a contender supports: a key for each task, one key for all, some keys shared with a
 * second process; readers beside writers; a try that does not wait; random pauses and holds. Only
 * ours has `decorators`, and `scale`: very many waiters of several processes, memory, and permits.
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
  /** The most waiters for one key. */
  readonly maxWaiters: number;
  /** With fewer tasks, a measurement means nothing. @default 1 */
  readonly minTasks?: number;
  start(servers: string): Promise<Driver>;
}

import { firstComeFirstServed, type WaitsFor } from '../queue/lock-queue.js';
import type { LockMode } from '../lock.js';

/** ZooKeeper's read/write lock ("ZooKeeper Recipes and Solutions", Shared Locks). */
export const readWriteLock: Record<LockMode, WaitsFor> = {
  write: firstComeFirstServed,
  read: (ahead) => ahead.findLast((node) => node.mode === 'write'),
};

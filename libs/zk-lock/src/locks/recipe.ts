import type { QueueNode } from './lock-queue.js';
import type { LockMode } from './lock.js';

/**
 * What makes one kind of lock differ from another, as a pure function over the queue: which of the
 * nodes ahead a contender waits for. Undefined means that none of them keeps it waiting.
 *
 * It names one node, the last to go, so that a release wakes those it lets in and nobody else.
 */
export type WaitsFor = (ahead: readonly QueueNode[]) => QueueNode | undefined;

/** ZooKeeper's read/write lock ("ZooKeeper Recipes and Solutions", Shared Locks). */
export const readWriteLock: Record<LockMode, WaitsFor> = {
  write: (ahead) => ahead.at(-1),
  read: (ahead) => ahead.findLast((node) => node.mode === 'write'),
};

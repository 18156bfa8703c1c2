import type { ReleaseMode } from '../lock/lock.js';
import type { ActiveLocks } from './active-locks.js';
import type { KeyQueues } from '../queue/key-queues.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { NestingOrders } from './nesting-orders.js';

/** What the locks and semaphores of one process share. */
export interface LocksContext extends QueueContext {
  readonly queues: KeyQueues;
  readonly activeLocks: ActiveLocks;
  /** Undefined if warnings are switched off. */
  readonly nestingOrders: NestingOrders | undefined;
  /** The longest wait for calls without `timeoutMs`, in milliseconds. */
  readonly acquireTimeoutMs: number;
  /** Whether single tries wait for other processes to release a kept lock. */
  readonly keepsLocks: boolean;
  /** The release mode of calls that specify none. */
  readonly release: ReleaseMode;
}

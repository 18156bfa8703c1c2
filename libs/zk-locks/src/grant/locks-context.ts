import type { ReleaseMode } from '../lock/lock.js';
import type { ActiveLocks } from './active-locks.js';
import type { KeyQueues } from '../queue/key-queues.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { NestingOrders } from './nesting-orders.js';

/** What the locks and semaphores of one process share. */
export interface LocksContext extends QueueContext {
  readonly queues: KeyQueues;
  readonly activeLocks: ActiveLocks;
  /** Undefined without warnings. */
  readonly nestingOrders: NestingOrders | undefined;
  /** The longest wait where a call does not say, in milliseconds. */
  readonly acquireTimeoutMs: number;
  /** Whether its single tries wait for a kept lock to be given back. */
  readonly keepsLocks: boolean;
  /** What a release waits for where a call does not say. */
  readonly release: ReleaseMode;
}

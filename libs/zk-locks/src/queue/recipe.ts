import type { SessionLease, Wait } from 'zk-client/recipes';
import type { LockMode } from '../lock/lock.js';
import type { Dialect } from '../nodes/dialect.js';
import type { NewLockNode, QueueContext } from './lock-node.js';
import type { OwnNode } from './own-node.js';

/** A queue, and as which a call stands in it. */
export interface QueueView {
  readonly directory: string;
  readonly dialect: Dialect;
  readonly mode: LockMode;
}

/** Whether a newcomer would have to wait, by reads that leave no trace. */
export type IsTaken = (
  context: QueueContext,
  view: QueueView,
  lease: SessionLease,
  wait: Wait,
) => Promise<boolean>;

/** How a call gets what it wants by a node in a queue. */
export interface Recipe<T> extends NewLockNode, QueueView {
  /** What a single try reads before it writes: where this is true, it leaves no trace. */
  readonly isTaken: IsTaken;
  /**
   * Makes of the node, whose turn it is, what the call wants, and takes the node over with its watch.
   * Undefined where the node turns out to be gone.
   */
  claim(own: OwnNode): Promise<T | undefined>;
}

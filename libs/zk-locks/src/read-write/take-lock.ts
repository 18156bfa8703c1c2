import type { CallKind } from '../telemetry/events.js';
import type { LockMode, ReleaseMode } from '../lock.js';
import type { LocksContext } from '../grant/locks-context.js';
import { acquire, type Queue } from '../queue/acquire.js';
import { type NodeUse, ownHolderData } from '../queue/holder-data.js';
import type { Wait } from '../queue/wait.js';
import type { WaitRequest } from '../queue/wait-request.js';
import { LockGrant } from './lock-grant.js';

/** One call for a lock, with everything decided. */
export interface LockRequest extends WaitRequest {
  readonly mode: LockMode;
  readonly directory: string;
  readonly label: string | undefined;
  /** Stands for its key in metrics and traces. */
  readonly pattern: string | undefined;
  readonly kind: CallKind;
  /** Whether it joins a lock of the same key that its async context holds. */
  readonly reentrant: boolean;
  readonly release: ReleaseMode;
  /** What its node says of its use. */
  readonly use?: NodeUse;
}

/**
 * Queues up for a lock as long as `wait` allows.
 *
 * @throws as {@link acquire}
 */
export function takeLock(
  request: LockRequest,
  wait: Wait,
  context: LocksContext,
): Promise<LockGrant> {
  const { key, mode } = request;
  const queue = readWriteQueue(request, context);
  return acquire(queue, request, wait, (own) =>
    new LockGrant(context, own, key, mode, queue.place.data).add(own),
  );
}

/** The queue of a read/write lock, as it is for a contender in this mode. */
export function readWriteQueue(
  { mode, directory, label, use }: Pick<LockRequest, 'mode' | 'directory' | 'label' | 'use'>,
  context: LocksContext,
): Queue {
  const { queues, dialect, application } = context;
  const prefix = (guid: string): string => dialect.nodePrefix(mode, guid);
  const data = ownHolderData(application, label, use);
  return { context, queues, dialect, mode, place: { directory, prefix, data } };
}

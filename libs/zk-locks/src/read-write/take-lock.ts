import type { CallKind } from '../telemetry/events.js';
import type { LockMode, ReleaseMode } from '../lock.js';
import { contend, type QueueContext } from '../queue/contend.js';
import type { Queue } from '../queue/acquire.js';
import type { Dialect } from '../queue/dialect.js';
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

export interface ReadWriteContext extends QueueContext {
  readonly dialect: Dialect;
}

/**
 * Queues up for a lock as long as `wait` allows.
 *
 * @throws as {@link contend}
 */
export function takeLock(
  request: LockRequest,
  wait: Wait,
  context: ReadWriteContext,
): Promise<LockGrant> {
  const queue = readWriteQueue(request, context);
  return contend(queue, request, wait, (own) => {
    const { session, remover, dialect, queues, place } = queue;
    const { succession } = queues;
    const { lease, path } = own;
    const { data } = place;
    const grant = new LockGrant(
      { session, remover, dialect, succession, lease, path, data, key: request.key },
      request.mode,
    );
    return grant.add(own);
  });
}

/** The queue of a read/write lock, as it is for a contender in this mode. */
export function readWriteQueue(
  { mode, directory, label, use }: Pick<LockRequest, 'mode' | 'directory' | 'label' | 'use'>,
  { session, lists, directories, remover, queues, dialect, application }: ReadWriteContext,
): Queue {
  const prefix = (guid: string): string => dialect.nodePrefix(mode, guid);
  const data = ownHolderData(application, label, use);
  return {
    session,
    lists,
    directories,
    remover,
    queues,
    dialect,
    mode,
    place: { directory, prefix, data },
  };
}

import { randomUUID } from 'node:crypto';
import { isConnectionError } from '../client/client-errors.js';
import { join, nameOf, parentOf } from '../client/node-path.js';
import { NodeGrant } from '../grant/grant.js';
import type { LocksContext } from '../grant/locks-context.js';
import type { LockMode, ReleaseMode } from '../lock.js';
import type { Dialect } from '../queue/dialect.js';
import type { OwnNode } from '../queue/own-node.js';
import type { QueueContext } from '../queue/queue-context.js';
import { ensureNode, retryUntilAnswered } from '../queue/retry.js';
import { sequenceOf } from '../queue/sequence.js';
import type { SessionLease } from '../session/session-lease.js';
import type { CallKind } from '../telemetry/events.js';
import { acquire, type Queue } from '../queue/acquire.js';
import { isBusy, isBusyUnlessKept } from '../queue/single-try.js';
import { type NodeUse, ownHolderData } from '../queue/holder-data.js';
import type { Wait, WaitRequest } from '../queue/wait.js';

/**
 * A read or write lock of this process, and whoever shares it: a nested call in the same async
 * context joins it.
 *
 * When the last writer among them lets go while readers remain, it is downgraded: a reader's node
 * with the writer's own sequence number takes the place of the writer's, so that other readers are
 * let in and no writer that waits can slip in between. The fencing token stays the same.
 */
export class LockGrant extends NodeGrant {
  /** Of the node that was granted. */
  readonly path: string;
  /** The node that stands in the queue for it. */
  #node: string;
  /** The node that keeps readers out; undefined where it is a reader's. */
  #writing: string | undefined;

  /** @param data what its nodes say about their holder */
  constructor(
    protected override readonly context: LocksContext,
    { lease, path }: OwnNode,
    key: string,
    mode: LockMode,
    private readonly data: string,
  ) {
    super(context, lease, key);
    this.path = this.#node = path;
    this.#writing = mode === 'write' ? path : undefined;
  }

  get mode(): LockMode {
    return this.#writing === undefined ? 'read' : 'write';
  }

  get nodeName(): string {
    return nameOf(this.#node);
  }

  /** Of all its nodes: nobody else has one with this number. */
  get sequence(): number {
    return sequenceOf(this.path);
  }

  /**
   * Makes a reader a writer by a node that has been added, for as long as a writer shares it: the
   * caller does, from now on.
   */
  startWriting(node: string): void {
    this.#writing = node;
    this.share('write');
  }

  protected override remove({ path }: OwnNode): Promise<void> {
    return this.context.remover.remove(this.lease, path, 'granted');
  }

  protected override async stopWriting(): Promise<void> {
    const writing = this.#writing;
    if (writing === undefined) return;
    this.#writing = undefined;
    if (writing !== this.path) await this.drop(writing);
    // Of what is lost, nothing is handed over: somebody else may have the place by now.
    else if (!this.isLost) await this.#downgrade();
  }

  /** Resolves when the writer's node is gone, or when that goes on in the background. */
  async #downgrade(): Promise<void> {
    const { lease, path, data } = this;
    const { session, remover, dialect } = this.context;
    const reader = twinOf(dialect, path, 'read');
    const create = (): Promise<void> => createTwin(this.context, lease, reader, data);
    const handOver = async (): Promise<void> => {
      let added: this | undefined;
      try {
        added = await this.addPath(reader);
      } finally {
        // Also where it may not be read: it would keep all writers out.
        if (!added) await remover.remove(lease, reader);
      }
      if (!added) return;
      this.#node = reader;
      await this.drop(path);
    };
    try {
      await create();
      await handOver();
    } catch (error) {
      // Where no reader's node can be made, the readers keep the writer's: safe, if not generous.
      if (!isConnectionError(error)) return;
      // Where the session ends first, there is nothing left to hand over.
      void retryUntilAnswered(session, lease, create)
        .then(handOver)
        .catch(() => undefined);
    }
  }
}

/**
 * A name for a node of the other mode in the same place of the queue: with the sequence number of the
 * node at `path`, as Curator gives it to the reader of a downgrade.
 */
export function twinOf(dialect: Dialect, path: string, mode: LockMode): string {
  const sequence = dialect.sequenceText(nameOf(path));
  return join(parentOf(path), dialect.nodePrefix(mode, randomUUID()) + sequence);
}

/** May be repeated when its answer was lost: nobody else has this name. */
export async function createTwin(
  { session, remover }: Pick<QueueContext, 'session' | 'remover'>,
  lease: SessionLease,
  twin: string,
  data: string,
): Promise<void> {
  remover.nodes.reserve(lease, twin);
  try {
    await ensureNode(session, lease, twin, Buffer.from(data), 'ephemeral');
  } catch (error) {
    if (isConnectionError(error)) remover.doubt(lease, twin);
    else remover.nodes.remove(lease, twin);
    throw error;
  }
}

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
  const claim = (own: OwnNode): Promise<LockGrant | undefined> =>
    new LockGrant(context, own, key, mode, queue.place.data).add(own);
  const isTaken = request.use?.keepMs === undefined ? isBusy : isBusyUnlessKept;
  return acquire(queue, request, wait, claim, isTaken);
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

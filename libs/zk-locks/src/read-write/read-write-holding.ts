import { isConnectionError } from '../client/client-errors.js';
import { nameOf, parentOf } from '../client/node-path.js';
import type { SessionLease } from '../session/session-lease.js';
import { Holding, type HoldingContext } from '../holding/holding.js';
import type { LockMode } from '../lock.js';
import type { Dialect } from '../queue/dialect.js';
import type { OwnNode } from '../queue/own-node.js';
import { retryUntilAnswered } from '../queue/retry.js';
import type { Succession } from '../queue/succession.js';
import type { SharedHolding } from './shared-holding.js';
import { createTwin, twinOf } from './twin-node.js';

export interface ReadWriteHoldingContext extends HoldingContext {
  readonly dialect: Dialect;
  readonly succession: Succession;
  /** Of the node that was granted. */
  readonly path: string;
  /** What its nodes say about their holder. */
  readonly data: Buffer;
}

/**
 * A read or write lock of this process, and whoever shares it: a nested call in the same async
 * context joins it.
 *
 * When the last writer among them lets go while readers remain, it is downgraded: a reader's node
 * with the writer's own sequence number takes the place of the writer's, so that other readers are
 * let in and no writer that waits can slip in between. The fencing token stays the same.
 */
export class ReadWriteHolding extends Holding implements SharedHolding {
  readonly #sharers: Record<LockMode, number> = { read: 0, write: 0 };
  /** The node that stands in the queue for it. */
  #node: string;
  /** The node that keeps readers out; undefined where it is a reader's. */
  #writing: string | undefined;

  constructor(
    protected override readonly context: ReadWriteHoldingContext,
    mode: LockMode,
  ) {
    super(context, mode);
    this.#node = context.path;
    this.#writing = mode === 'write' ? context.path : undefined;
  }

  get mode(): LockMode {
    return this.#writing === undefined ? 'read' : 'write';
  }

  get lease(): SessionLease {
    return this.context.lease;
  }

  get nodeName(): string {
    return nameOf(this.#node);
  }

  /** Of the node that was granted. */
  get path(): string {
    return this.context.path;
  }

  share(mode: LockMode): void {
    this.#sharers[mode]++;
  }

  /** Lets go of one share: with the last one everything is released. */
  unshare(mode: LockMode): Promise<void> {
    this.#sharers[mode]--;
    const { read, write } = this.#sharers;
    if (read + write === 0) return this.release();
    return write === 0 ? this.#stopWriting() : Promise.resolve();
  }

  /** Of all its nodes: nobody else has one with this number. */
  get sequence(): number {
    return Number(this.context.dialect.sequenceText(nameOf(this.path)));
  }

  /**
   * Makes a reader a writer by a node that has been added, for as long as a writer shares it: the
   * caller does, from now on.
   */
  startWriting(node: string): void {
    this.#writing = node;
    this.kind = 'write';
    this.share('write');
  }

  protected override remove(node: OwnNode): Promise<void> {
    const { remover, lease } = this.context;
    const isWriters = this.#writing === this.path && node.path === this.path;
    const onRemoved = isWriters ? (): void => this.#departed(node) : undefined;
    return remover.remove(lease, node.path, 'granted', onRemoved);
  }

  #departed({ path, czxid }: OwnNode): void {
    if (czxid === undefined) return;
    this.context.succession.departed(parentOf(path), this.sequence, czxid);
  }

  async #stopWriting(): Promise<void> {
    const writing = this.#writing;
    if (writing === undefined) return;
    this.#writing = undefined;
    this.kind = 'read';
    if (writing !== this.path) await this.drop(writing);
    // Of what is lost, nothing is handed over: somebody else may have the place by now.
    else if (!this.isLost) await this.#downgrade();
  }

  /** Resolves when the writer's node is gone, or when that goes on in the background. */
  async #downgrade(): Promise<void> {
    const { session, lease, path, data, remover, dialect } = this.context;
    const reader = twinOf(dialect, path, 'read');
    const create = (): Promise<void> => createTwin(this.context, lease, reader, data);
    const handOver = async (): Promise<void> => {
      let isAdded = false;
      try {
        isAdded = await this.add(reader);
      } finally {
        // Also where it may not be read: it would keep all writers out.
        if (!isAdded) await remover.remove(lease, reader);
      }
      if (!isAdded) return;
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

import { randomUUID } from 'node:crypto';
import { hasReturnCode, isConnectionError, ReturnCode } from '../../client/client-errors.js';
import { join, parentOf } from '../../client/node-path.js';
import { Holding, type HoldingContext } from '../holding/holding.js';
import type { LockMode } from '../lock.js';
import type { Dialect } from '../queue/dialect.js';
import { persist } from '../queue/persist.js';

export interface ReadWriteHoldingContext extends HoldingContext {
  readonly dialect: Dialect;
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
export class ReadWriteHolding extends Holding {
  readonly #sharers: Record<LockMode, number> = { read: 0, write: 0 };
  /** The nodes without which it is a reader's. */
  #writing: readonly string[];

  constructor(
    protected override readonly context: ReadWriteHoldingContext,
    mode: LockMode,
  ) {
    super(context, mode);
    this.#writing = mode === 'write' ? [context.path] : [];
  }

  get mode(): LockMode {
    return this.#writing.length > 0 ? 'write' : 'read';
  }

  share(mode: LockMode): void {
    this.#sharers[mode]++;
  }

  /** Lets go of one share: with the last one everything is released. */
  async unshare(mode: LockMode): Promise<void> {
    this.#sharers[mode]--;
    const { read, write } = this.#sharers;
    if (read + write === 0) await this.release();
    else if (write === 0 && this.mode === 'write') await this.#stopWriting();
  }

  /** Makes a reader a writer, by nodes that keep everybody else out, for as long as a writer shares it. */
  async startWriting(nodes: readonly string[]): Promise<boolean> {
    const added = await Promise.all(nodes.map((node) => this.add(node)));
    if (!added.every(Boolean)) return false;
    this.#writing = nodes;
    this.kind = 'write';
    return true;
  }

  async #stopWriting(): Promise<void> {
    const writing = this.#writing;
    this.#writing = [];
    this.kind = 'read';
    if (writing.includes(this.context.path)) await this.#downgrade();
    else await this.#drop(writing);
  }

  /** Resolves when the writer's node is gone, or when that goes on in the background. */
  async #downgrade(): Promise<void> {
    const { session, lease, path, data, reaper } = this.context;
    const reader = this.#readerBeside(path);
    const create = (): Promise<string> => session.create(lease, reader, data, 'ephemeral');
    const isThere = (error: unknown): void => {
      if (!hasReturnCode(error, ReturnCode.nodeExists)) throw error;
    };
    const handOver = async (): Promise<void> => {
      if (await this.add(reader)) await this.drop(path);
      else await reaper.remove(lease, reader);
    };
    try {
      await create().catch(isThere);
      await handOver();
    } catch (error) {
      // Where no reader's node can be made, the readers keep the writer's: safe, if not generous.
      if (!isConnectionError(error)) return;
      const again = (): Promise<unknown> => create().catch(isThere);
      // Where the session ends first, there is nothing left to hand over.
      void persist(session, lease, again)
        .then(handOver)
        .catch(() => undefined);
    }
  }

  async #drop(nodes: readonly string[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.drop(node)));
  }

  #readerBeside(writer: string): string {
    const { dialect } = this.context;
    const directory = parentOf(writer);
    const sequence = dialect.sequenceText(writer.slice(directory.length + 1));
    return join(directory, dialect.nodePrefix('read', randomUUID()) + sequence);
  }
}

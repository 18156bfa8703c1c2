import { randomUUID } from 'node:crypto';
import {
  type Attempt,
  countNode,
  createForCertain,
  hasReturnCode,
  isConnectionError,
  join,
  nameOf,
  type NodeStat,
  OperationRefusedError,
  orIfGone,
  parentOf,
  ReturnCode,
  type SessionLease,
  type Wait,
} from 'zk-client/recipes';
import { guardPathOf } from '../lock/key-path.js';
import { amendData } from '../nodes/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { CreatedNode } from '../queue/own-node.js';

export function lockPathOf(directory: string): string {
  return join(directory, 'lock');
}

/**
 * A pair that was created, or undefined if it has been deleted since, or `taken` if another one
 * exists.
 */
export type Creation = LockPair | undefined | 'taken';

/**
 * A lock node, whose path is the same for all holders, and its guard, whose path is unique. They
 * are created together, and deleted together, the guard first: a deletion that is repeated, or
 * executed late, finds no guard and leaves the next holder's node alone.
 *
 * A node belongs to the guard with the same creation zxid.
 */
export class LockPair {
  readonly lock: string;
  #guard: string;
  /** The path counted among the session's nodes: the path of the lock alone is not unique. */
  readonly #counted: string;
  #czxid: bigint | undefined;
  #sentAt = 0;

  constructor(
    private readonly context: QueueContext,
    readonly lease: SessionLease,
    directory: string,
  ) {
    this.lock = lockPathOf(directory);
    this.#guard = this.#newGuard();
    this.#counted = this.paths.join('');
  }

  /** Both exist as long as the lock is held. */
  get paths(): readonly string[] {
    return [this.#guard, this.lock];
  }

  /** The lock, as it was seen last. */
  get node(): CreatedNode {
    return { czxid: this.#czxid, sentAt: this.#sentAt };
  }

  /**
   * Creates a pair.
   *
   * @param data identifies the caller to people who inspect the node
   * @param wait see {@link createForCertain}
   * @throws as {@link createForCertain}
   */
  static async create(
    context: QueueContext,
    lease: SessionLease,
    directory: string,
    data: string,
    wait?: Wait,
  ): Promise<Creation> {
    const newAttempt = (): Attempt<Creation> =>
      new LockPair(context, lease, directory).#attempt(data, wait);
    const created = await createForCertain(context, lease, newAttempt, wait);
    if (created instanceof LockPair) countNode(lease, created.#counted);
    return created;
  }

  #attempt(data: string, wait?: Wait): Attempt<Creation> {
    const { context, lease } = this;
    return {
      path: this.#guard,
      counted: this.#counted,
      send: () => this.#send(data, wait),
      find: async () => ((await this.#find()) ? this : undefined),
      makeDirectory: (missing) => context.directories.create(lease, missing),
      removeLate: () => void this.discard(),
    };
  }

  /**
   * Deletes whichever of the two nodes exist. Never rejects.
   *
   * @param options `areThere`: both certainly existed a moment ago. Otherwise, it looks first: if the lock
   * was deleted without its guard, the next holder has a node with the same path
   */
  discard({ areThere = false } = {}): Promise<void> {
    const counted = this.#counted;
    let isThere = areThere;
    const send = async (): Promise<void> => {
      const isOurs = isThere || (await this.#synced(() => this.#find()));
      // Without an answer, time passes before the next attempt.
      isThere = false;
      return this.#delete(!isOurs);
    };
    return this.context.remover.remove(this.lease, this.lock, 'unused', { counted, send });
  }

  async #send(data: string, wait?: Wait): Promise<Creation> {
    const { context, lease, lock } = this;
    const { session } = context;
    const named = Buffer.from(amendData(data, { guard: nameOf(this.#guard) }));
    const node = { type: 'create', mode: 'ephemeral', acl: session.lockAcl } as const;
    const operations = [
      { ...node, path: this.#guard, data: Buffer.alloc(0) },
      { ...node, path: lock, data: named },
    ];
    // Reads the node, because the holder would not notice the deletion of a node that is hidden from it.
    const read = async (): Promise<NodeStat> => (await session.get(lease, lock)).stat;
    const find = (): Promise<boolean> => this.#find(orIfGone(read(), undefined));
    const creating = session.transact(lease, operations, wait);
    const [created, found] = await Promise.allSettled([creating, find()]);
    if (created.status === 'rejected') {
      if (hasReturnCode(created.reason, ReturnCode.nodeExists)) return 'taken';
      throw created.reason as Error;
    }
    if (found.status === 'fulfilled' && found.value) return this;
    // A busy server may have read the node before it created the pair.
    const isFound = await find().catch((error: unknown) => {
      // A pair that cannot be read would still keep all others out.
      if (!isConnectionError(error)) void this.discard();
      throw error;
    });
    if (isFound) return this;
    void this.discard();
    return undefined;
  }

  /** Whether the lock exists and was created together with its guard or, if the guard is gone, is the known one. */
  async #find(seeingLock = this.#see(this.lock)): Promise<boolean> {
    const sentAt = this.context.session.news.now;
    const [lock, guard] = await Promise.all([seeingLock, this.#see(this.#guard)]);
    if (!lock || (lock.czxid !== guard?.czxid && lock.czxid !== this.#czxid)) return false;
    this.#czxid = lock.czxid;
    this.#sentAt = sentAt;
    return true;
  }

  async #delete(isLockGone: boolean): Promise<void> {
    const { context, lease } = this;
    const { session, directories } = context;
    const deleteGuard = (): Promise<void> => session.delete(lease, this.#guard);
    if (isLockGone) return deleteGuard();
    try {
      await session.transact(
        lease,
        this.paths.map((path) => ({ type: 'delete', path })),
      );
    } catch (error) {
      if (!(error instanceof OperationRefusedError)) throw error;
      if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
      if (error.path === this.lock) return deleteGuard();
      const czxid = this.#czxid;
      // Both were deleted before, unless an operator has deleted the guard alone.
      const present = await this.#synced(() => this.#see(this.lock));
      if (czxid === undefined || present?.czxid !== czxid) throw error;
      this.#guard = this.#newGuard();
      await directories.create(lease, parentOf(this.#guard));
      await session.create(lease, this.#guard, Buffer.alloc(0), 'ephemeral', {
        acl: session.lockAcl,
      });
      return this.#delete(false);
    }
  }

  /**
   * Reads after everything that was written before has been executed, even by a lost connection. Both
   * requests use one connection, because another server may lag behind.
   */
  async #synced<T>(read: () => Promise<T>): Promise<T> {
    const { context, lease, lock } = this;
    const [, answer] = await Promise.all([context.session.sync(lease, lock), read()]);
    return answer;
  }

  /** Sees the node even if its ACL hides its data. */
  #see(path: string): Promise<NodeStat | undefined> {
    return this.context.session.exists(this.lease, path);
  }

  #newGuard(): string {
    return guardPathOf(this.context.root, randomUUID());
  }
}

import { randomUUID } from 'node:crypto';
import {
  hasReturnCode,
  isConnectionError,
  join,
  nameOf,
  OperationRefusedError,
  orIfGone,
  parentOf,
  retryUntilAnswered,
  ReturnCode,
  type SessionLease,
  untilReconnected,
} from 'zk-client/recipes';
import { guardPathOf } from '../key-path.js';
import { withGuard } from '../queue/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';

export function lockPathOf(directory: string): string {
  return join(directory, 'lock');
}

/** The node's creation zxid; or there is another one; or it has to be tried again. */
export type Creation = bigint | 'taken' | 'again';

/**
 * A lock node, whose path is the same for all holders, and its guard, whose path is its own. They are
 * created together, and deleted together with the guard first: a deletion that is repeated, or executed
 * late, finds no guard and leaves the node of the next holder alone.
 *
 * A node belongs to a guard with the same creation zxid.
 */
export class LockPair {
  readonly lock: string;
  #guard: string;
  /** Among the nodes of the session: the path of the lock alone is not unique. */
  readonly #counted: string;
  #czxid: bigint | undefined;

  constructor(
    private readonly context: QueueContext,
    readonly lease: SessionLease,
    directory: string,
  ) {
    this.lock = lockPathOf(directory);
    this.#guard = this.#newGuard();
    this.#counted = this.paths.join('');
  }

  /** Both exist for as long as the lock is held. */
  get paths(): readonly string[] {
    return [this.#guard, this.lock];
  }

  /**
   * @param data who asks, for people who look at the node
   * @throws {SessionOverError} {@link ZooKeeperError}
   */
  async create(data: string): Promise<Creation> {
    const { context, lease, lock } = this;
    const { session, remover } = context;
    remover.nodes.reserve(lease, this.#counted);
    let creation: Creation | undefined;
    try {
      const named = withGuard(data, nameOf(this.#guard));
      const creating = session.transact(lease, [
        { type: 'create', path: this.#guard, data: Buffer.alloc(0), mode: 'ephemeral' },
        { type: 'create', path: lock, data: named, mode: 'ephemeral' },
      ]);
      const [, czxid] = await Promise.all([creating, this.#find()]);
      if (czxid === undefined) void this.discard();
      return (creation = czxid ?? 'again');
    } catch (error) {
      return (creation = await this.#afterError(error));
    } finally {
      if (typeof creation !== 'bigint') this.#uncount();
    }
  }

  /**
   * Deletes both after a grant. Never rejects.
   *
   * @param isLockGone then the guard alone
   */
  async release(isLockGone: boolean): Promise<void> {
    const { remover } = this.context;
    await remover.remove(this.lease, this.lock, 'unused', () => this.#delete(isLockGone));
    this.#uncount();
  }

  /** Deletes what there is of them. Never rejects. */
  async discard(): Promise<void> {
    const { remover } = this.context;
    const send = async (): Promise<void> => {
      const found = await this.#synced(() => this.#find());
      return this.#delete(found === undefined);
    };
    await remover.remove(this.lease, this.lock, 'unused', send);
    this.#uncount();
  }

  async #afterError(error: unknown): Promise<Creation> {
    const { context, lease } = this;
    if (isConnectionError(error)) return this.#findUnanswered();
    if (!(error instanceof OperationRefusedError)) {
      // It may not be read, and would keep all others out.
      void this.release(false);
      throw error;
    }
    if (error.returnCode === ReturnCode.nodeExists) return 'taken';
    if (error.returnCode !== ReturnCode.noNode) throw error;
    const create = (): Promise<void> => context.directories.create(lease, parentOf(error.path));
    await retryUntilAnswered(context.session, lease, create);
    return 'again';
  }

  async #findUnanswered(): Promise<Creation> {
    const { context, lease } = this;
    const { session, remover } = context;
    await untilReconnected(session, lease);
    const find = (): Promise<bigint | undefined> => this.#synced(() => this.#find());
    const czxid = await retryUntilAnswered(session, lease, find);
    if (czxid !== undefined) return czxid;
    const guard = this.#guard;
    remover.expectLate(lease, parentOf(guard), nameOf(guard), () => void this.discard());
    return 'again';
  }

  /** The creation zxid; undefined where they are not both there. */
  async #find(): Promise<bigint | undefined> {
    const [guard, lock] = await Promise.all(this.paths.map((path) => this.#czxidOf(path)));
    if (lock === undefined || lock !== guard) return undefined;
    this.#czxid = lock;
    return lock;
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
      const present = await this.#synced(() => this.#czxidOf(this.lock));
      if (czxid === undefined || present !== czxid) throw error;
      this.#guard = this.#newGuard();
      await directories.create(lease, parentOf(this.#guard));
      await session.create(lease, this.#guard, Buffer.alloc(0), 'ephemeral');
      return this.#delete(false);
    }
  }

  /**
   * What is read behind all that was written before, also by a lost connection as far as it is on its
   * way. On one connection: another server may know less.
   */
  async #synced<T>(read: () => Promise<T>): Promise<T> {
    const { context, lease, lock } = this;
    const [, answer] = await Promise.all([context.session.sync(lease, lock), read()]);
    return answer;
  }

  #czxidOf(path: string): Promise<bigint | undefined> {
    const { context, lease } = this;
    return orIfGone(
      context.session.get(lease, path).then(({ stat }) => stat.czxid),
      undefined,
    );
  }

  #newGuard(): string {
    return guardPathOf(this.context.root, randomUUID());
  }

  #uncount(): void {
    this.context.remover.nodes.remove(this.lease, this.#counted);
  }
}

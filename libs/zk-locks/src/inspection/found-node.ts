import {
  join,
  type NodeContent,
  orIfGone,
  readShort,
  ReturnCode,
  type SessionLease,
  type Wait,
  ZooKeeperError,
} from 'zk-client/recipes';
import { guardPathOf } from '../lock/key-path.js';
import { type QueueNode } from '../nodes/dialect.js';
import { czxidOf, fencingToken } from '../nodes/fencing-token.js';
import { guardOf, isEphemeral } from '../nodes/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { type Contender, contenderOf } from './inspection.js';

/**
 * A contender's node as it was read. Writes and deletions affect this node and no later one: its
 * name is never reused. With the dialect `single-node`, the name is reused, but the node has a
 * guard whose name is unique and which is changed in the same transaction.
 */
export class FoundNode {
  readonly contender: Contender;

  private constructor(
    private readonly context: QueueContext,
    readonly path: string,
    readonly node: QueueNode,
    readonly content: NodeContent,
    private readonly guard: string | undefined,
  ) {
    this.contender = contenderOf(node, content);
  }

  /** Undefined if the node is gone. */
  static async read(
    context: QueueContext,
    lease: SessionLease,
    directory: string,
    node: QueueNode,
  ): Promise<FoundNode | undefined> {
    const path = join(directory, node.name);
    const content = await readShort(context.session, lease, path);
    if (!content) return undefined;
    return new FoundNode(context, path, node, content, await findGuard(context, lease, content));
  }

  /**
   * Whether no process of ours would read what is written there, or the node of a later holder
   * could be hit instead.
   */
  get isForeign(): boolean {
    return !this.contender.holder || this.lacksGuard;
  }

  /** The reason as a part of a sentence about the node. */
  get whyForeign(): string {
    if (!this.contender.holder) {
      return 'has no holder data of this library: it belongs to Curator or kazoo, or was made by hand.';
    }
    return "has lost its guard, so the next holder's node could be deleted instead.";
  }

  /** The token that the node's creation gave only to it. */
  get ownToken(): bigint {
    return fencingToken(this.content.stat.czxid, this.contender.holder?.rank);
  }

  /** Whether the node's creation gave this token to it, or to another call that shares it. */
  isCreatedWith(token: bigint): boolean {
    return this.#isOf(this.ownToken, token);
  }

  /**
   * Whether its data contain this token, as after a downgrade or an upgrade, in dialects with
   * readers.
   */
  claims(token: bigint): boolean {
    const { context, contender } = this;
    return context.dialect.hasReaders && this.#isOf(contender.fencingToken, token);
  }

  /** Whether it is this node, or one that replaces it for the same grant. */
  isOfContender({ node, content: { stat } }: FoundNode): boolean {
    const own = this.content.stat;
    if (this.node.name === node.name) return own.czxid === stat.czxid;
    return (
      this.node.sequence === node.sequence &&
      isEphemeral(stat) &&
      own.ephemeralOwner === stat.ephemeralOwner
    );
  }

  /** @param version the node's expected version. @default any */
  set(lease: SessionLease, data: Buffer, wait: Wait, version?: number): Promise<unknown> {
    const { path, guard } = this;
    const { session } = this.context;
    if (guard === undefined) return session.set(lease, path, data, version, wait);
    const check = { type: 'check', path: guard } as const;
    return session.transact(lease, [check, { type: 'set', path, data, version }], wait);
  }

  async delete(lease: SessionLease, wait: Wait): Promise<void> {
    const { path, guard } = this;
    const { session } = this.context;
    if (guard !== undefined) {
      const deleteGuard = { type: 'delete', path: guard } as const;
      await session.transact(lease, [deleteGuard, { type: 'delete', path }], wait);
      return;
    }
    // If another node replaces it between this check and the deletion, that one is deleted.
    if (this.lacksGuard && !(await this.isThere(lease))) {
      throw new ZooKeeperError(ReturnCode.noNode, 'delete', path);
    }
    await session.delete(lease, path, wait);
  }

  /** Whether it still exists, and is not another node with the same name. */
  async isThere(lease: SessionLease, options?: { watch: true }): Promise<boolean> {
    const reading = this.context.session.get(lease, this.path, options);
    const found = await orIfGone(reading, undefined);
    return found?.stat.czxid === this.content.stat.czxid;
  }

  /**
   * Calls that share a node have tokens with the same czxid, which no other node of the lock has.
   */
  #isOf(own: bigint, token: bigint): boolean {
    const servesSeveral = this.contender.holder?.cohort === true;
    return own === token || (servesSeveral && czxidOf(own) === czxidOf(token));
  }

  /** Whether the next holder's node could be mistaken for it. */
  get lacksGuard(): boolean {
    return this.guard === undefined && this.context.dialect.name === 'single-node';
  }
}

/**
 * Undefined without a guard: another program created the node, or an operator deleted the guard.
 */
async function findGuard(
  { session, root, dialect }: QueueContext,
  lease: SessionLease,
  { data, stat }: NodeContent,
): Promise<string | undefined> {
  const name = dialect.name === 'single-node' ? guardOf(data) : undefined;
  if (name === undefined) return undefined;
  const path = guardPathOf(root, name);
  const guard = await orIfGone(session.get(lease, path), undefined);
  return guard?.stat.czxid === stat.czxid ? path : undefined;
}

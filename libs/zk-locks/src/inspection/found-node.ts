import {
  join,
  type NodeContent,
  orIfGone,
  readShort,
  ReturnCode,
  type SessionLease,
  ZooKeeperError,
} from 'zk-client/recipes';
import { guardPathOf } from '../lock/key-path.js';
import { type QueueNode } from '../nodes/dialect.js';
import { czxidOf, fencingToken } from '../nodes/fencing-token.js';
import { guardOf, isEphemeral } from '../nodes/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { type Contender, contenderOf } from './inspection.js';

/**
 * A contender's node as it was read. What is written and deleted is this node and no later one: of its
 * name there is no other; or the dialect is `single-node`, and it has a guard of whose name there is
 * no other, with which the node is changed together.
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

  /** Undefined where it is gone. */
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

  /** Whether no process of ours reads what is written there, or it may be taken for a later node. */
  get isForeign(): boolean {
    return !this.contender.holder || this.lacksGuard;
  }

  /** A sentence about the node. */
  get whyForeign(): string {
    if (!this.contender.holder) {
      return 'has no holder data of this library; it is of Curator, of kazoo, or made by hand.';
    }
    return 'has lost its guard, so that the node of the next holder could be deleted in its place.';
  }

  /** The token that the creation of the node gave to it alone. */
  get ownToken(): bigint {
    return fencingToken(this.content.stat.czxid, this.contender.holder?.rank);
  }

  /** Whether the creation of the node gave it the token, or that of another call under it. */
  isCreatedWith(token: bigint): boolean {
    return this.#isOf(this.ownToken, token);
  }

  /** Whether its data say so, as after a downgrade or an upgrade: in dialects with readers. */
  claims(token: bigint): boolean {
    const { context, contender } = this;
    return context.dialect.hasReaders && this.#isOf(contender.fencingToken, token);
  }

  /** Whether it is this node, or one that stands in its place for the same grant. */
  isOfContender({ node, content: { stat } }: FoundNode): boolean {
    const own = this.content.stat;
    if (this.node.name === node.name) return own.czxid === stat.czxid;
    return (
      this.node.sequence === node.sequence &&
      isEphemeral(stat) &&
      own.ephemeralOwner === stat.ephemeralOwner
    );
  }

  /** @param version of the node. @default any */
  set(lease: SessionLease, data: Buffer, version?: number): Promise<unknown> {
    const { path, guard } = this;
    const { session } = this.context;
    if (guard === undefined) return session.set(lease, path, data, version);
    return session.transact(lease, [
      { type: 'check', path: guard },
      { type: 'set', path, data, version },
    ]);
  }

  async delete(lease: SessionLease): Promise<void> {
    const { path, guard } = this;
    const { session } = this.context;
    if (guard !== undefined) {
      await session.transact(lease, [
        { type: 'delete', path: guard },
        { type: 'delete', path },
      ]);
      return;
    }
    // One that comes between this look and the deletion is deleted in its place.
    if (this.lacksGuard && !(await this.isThere(lease))) {
      throw new ZooKeeperError(ReturnCode.noNode, 'delete', path);
    }
    await session.delete(lease, path);
  }

  /** Whether it is there, rather than another one of its name. */
  async isThere(lease: SessionLease, options?: { watch: true }): Promise<boolean> {
    const reading = this.context.session.get(lease, this.path, options);
    const found = await orIfGone(reading, undefined);
    return found?.stat.czxid === this.content.stat.czxid;
  }

  /** Calls that share a node have tokens of one czxid, which no other node of the lock has. */
  #isOf(own: bigint, token: bigint): boolean {
    const servesSeveral = this.contender.holder?.cohort === true;
    return own === token || (servesSeveral && czxidOf(own) === czxidOf(token));
  }

  /** Whether the node of the next holder may be taken for it. */
  get lacksGuard(): boolean {
    return this.guard === undefined && this.context.dialect.name === 'single-node';
  }
}

/** Undefined without a guard: another program has made the node, or an operator has deleted the guard. */
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

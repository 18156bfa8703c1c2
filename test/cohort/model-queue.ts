import { Grant } from '../../libs/zk-locks/src/grant/grant.js';
import type { LockLossReason } from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { SessionLease } from '../../libs/zk-client/src/session/session-lease.js';
import type { GrantedNodes } from '../../libs/zk-locks/src/grant/transact.js';
import type { LockMode } from '../../libs/zk-locks/src/lock/lock.js';
import { fencingToken } from '../../libs/zk-locks/src/nodes/fencing-token.js';
import type { ModelSession } from './model-session.js';

export const KEY = 'k';

/** A contender in ZooKeeper's queue: ours, or of another process. */
export interface Node {
  readonly czxid: bigint;
  readonly name: string;
  readonly isOurs: boolean;
  /** When a writer is downgraded, its node becomes a reader's in the same place. */
  mode: LockMode;
  onTurn: () => void;
  isGranted: boolean;
}

export const isExcluding = (one: LockMode, other: LockMode): boolean =>
  one === 'write' || other === 'write';

/**
 * The part of ZooKeeper that a lock needs. Each node's czxid is one higher than the previous one.
 */
export class Queue {
  #zxid = 0n;
  readonly nodes: Node[] = [];
  /** A node was created or deleted. */
  onChange: () => void = () => undefined;

  enter(mode: LockMode, isOurs: boolean, onTurn: () => void): Node {
    const czxid = ++this.#zxid;
    const node = { czxid, name: `n${czxid}`, mode, isOurs, onTurn, isGranted: false };
    this.nodes.push(node);
    this.onChange();
    return node;
  }

  isBusyFor(mode: LockMode, before = this.nodes.length): boolean {
    return this.nodes.slice(0, before).some((ahead) => isExcluding(ahead.mode, mode));
  }

  leave(node: Node): void {
    const place = this.nodes.indexOf(node);
    if (place === -1) return;
    this.nodes.splice(place, 1);
    this.onChange();
    this.pass();
  }

  /** Grants every node whose turn it is. */
  pass(): void {
    for (const [place, node] of [...this.nodes].entries()) {
      if (node.isGranted || this.isBusyFor(node.mode, place)) continue;
      node.isGranted = true;
      node.onTurn();
    }
  }
}

/** The grant of a node of ours. */
export class FakeGrant extends Grant {
  readonly key = KEY;
  readonly nodeName = '_c_model';
  readonly path: string;
  /** Called for each grant under the node, when its token is made. */
  onGrant: () => void = () => undefined;
  #mode: LockMode;
  /**
   * The lease is over by the clock, but not yet noticed. The first reading of `loss` announces it
   * to all.
   */
  isOverByTheClock = false;

  constructor(
    private readonly queue: Queue,
    readonly node: Node,
    private readonly session: ModelSession,
  ) {
    super();
    this.path = `/${KEY}/${node.name}`;
    this.#mode = node.mode;
  }

  /** The node changes when the server executes the request. */
  get mode(): LockMode {
    return this.#mode;
  }

  get fencingToken(): bigint {
    this.onGrant();
    return fencingToken(this.node.czxid);
  }

  /** No transaction writes under it. */
  get nodes(): GrantedNodes {
    return { openTransactions: 0 } as GrantedNodes;
  }

  get lease(): SessionLease {
    return this.session.lease;
  }

  get hasFreshNews(): boolean {
    return this.session.hasFreshNews;
  }

  readNews(): Promise<boolean> {
    return this.session.readNews();
  }

  /** As when an operator deletes its node: the holder is told, and others are let in. */
  override lose(reason: LockLossReason = 'node-deleted'): void {
    super.lose(reason);
    this.queue.leave(this.node);
  }

  protected override isValid(): boolean {
    if (this.isOverByTheClock && !this.isReleased && !this.isLost) this.lose();
    return !this.isOverByTheClock;
  }

  protected override giveBack(): Promise<void> {
    this.session.whenConnected(() => this.queue.leave(this.node));
    return Promise.resolve();
  }

  protected override stopWriting(): Promise<void> {
    this.#mode = 'read';
    this.session.whenConnected(() => {
      // A reader's node takes the place of the writer's.
      this.node.mode = 'read';
      this.queue.onChange();
      this.queue.pass();
    });
    return Promise.resolve();
  }
}

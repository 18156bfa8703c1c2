import type { CohortTurnHolding } from '../../libs/zk-locks/src/cohort/cohort-turn.js';
import { LockLostError, LockRevokedError } from '../../libs/zk-locks/src/lock-errors.js';
import type { LockMode } from '../../libs/zk-locks/src/lock.js';
import { fencingToken } from '../../libs/zk-locks/src/queue/fencing-token.js';

export const KEY = 'k';

/** A contender in ZooKeeper's queue, of ours or of another process. */
export interface Node {
  readonly czxid: bigint;
  readonly isOurs: boolean;
  /** A writer's that is downgraded becomes a reader's, in the same place. */
  mode: LockMode;
  onTurn: () => void;
  isGranted: boolean;
}

export const isExcluding = (one: LockMode, other: LockMode): boolean =>
  one === 'write' || other === 'write';

/** ZooKeeper, as far as a lock needs it: each node's czxid follows the one before. */
export class Queue {
  #zxid = 0n;
  readonly nodes: Node[] = [];

  enter(mode: LockMode, isOurs: boolean, onTurn: () => void): Node {
    const node = { czxid: ++this.#zxid, mode, isOurs, onTurn, isGranted: false };
    this.nodes.push(node);
    return node;
  }

  isBusyFor(mode: LockMode, before = this.nodes.length): boolean {
    return this.nodes.slice(0, before).some((ahead) => isExcluding(ahead.mode, mode));
  }

  leave(node: Node): void {
    const place = this.nodes.indexOf(node);
    if (place !== -1) this.nodes.splice(place, 1);
    this.pass();
  }

  /** Tells all whose turn it is. */
  pass(): void {
    for (const [place, node] of [...this.nodes].entries()) {
      if (node.isGranted || this.isBusyFor(node.mode, place)) continue;
      node.isGranted = true;
      node.onTurn();
    }
  }
}

/** What was granted to a node of ours. */
export class FakeHolding implements CohortTurnHolding {
  readonly key = KEY;
  readonly nodeName = '_c_model';
  readonly #loss = new AbortController();
  readonly #revocation = new AbortController();
  readonly #shares: Record<LockMode, number> = { read: 0, write: 0 };
  readonly fencingToken: bigint;
  isReleased = false;
  /** Its lease is over, which nobody has noticed yet: whoever asks for the loss is told, and so are all. */
  isOverByTheClock = false;

  constructor(
    private readonly queue: Queue,
    readonly node: Node,
  ) {
    this.fencingToken = fencingToken(node.czxid);
  }

  get mode(): LockMode {
    return this.node.mode;
  }

  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  get revoked(): AbortSignal {
    return this.#revocation.signal;
  }

  get loss(): LockLostError | undefined {
    if (this.isOverByTheClock && !this.isReleased && !this.signal.aborted) this.lose();
    return this.signal.reason as LockLostError | undefined;
  }

  share(mode: LockMode): void {
    this.#shares[mode]++;
  }

  whenCertain(): Promise<void> {
    return Promise.resolve();
  }

  unshare(mode: LockMode): Promise<void> {
    this.#shares[mode]--;
    if (this.#shares.read + this.#shares.write === 0) return this.release();
    if (this.#shares.write === 0) this.node.mode = 'read';
    this.queue.pass();
    return Promise.resolve();
  }

  release(): Promise<void> {
    this.isReleased = true;
    this.queue.leave(this.node);
    return Promise.resolve();
  }

  /** As when an operator deletes its node: it is told, and others are let in. */
  lose(): void {
    this.#loss.abort(new LockLostError(KEY, this.mode, 'node-deleted'));
    this.queue.leave(this.node);
  }

  revoke(): void {
    this.#revocation.abort(new LockRevokedError(KEY, this.mode));
  }
}

import type { LockMode } from '../lock.js';
import type { Dialect } from './dialect.js';
import type { NodePlace, QueueContext } from './lock-node.js';
import type { NodeKeeper, OwnNode } from './own-node.js';
import {
  type Created,
  type Removal,
  type SessionLease,
  SessionOverError,
  type Step,
  type Wait,
} from 'zk-client/recipes';

/** What it takes to have a node in a queue, and to have it removed. */
export interface Entry {
  readonly context: QueueContext;
  readonly dialect: Dialect;
  /** As which its nodes stand in the queue. */
  readonly mode: LockMode;
  readonly place: NodePlace;
}

/** The call that waits for a contender's turn. */
export interface ContenderCall {
  /** Its node is up; undefined where that is gone. */
  resolve(granted: OwnNode | undefined): void;
  /** @param error that of the wait, or {@link SessionOverError} {@link ZooKeeperError} {@link LockDirectoryError} */
  reject(error: Error): void;
}

/** What happens to a contender, as its queue hears of it. */
export interface ContenderListener {
  giveUp(contender: Contender, error: Error): void;
  lost(contender: Contender): void;
}

/** Who asks for the lock. A holder keeps none of it: a lock may be held for long. */
interface Asking {
  readonly queue: ContenderListener;
  readonly entry: Entry;
  readonly wait: Wait;
  readonly call: ContenderCall;
  /** Undefined once it was answered. */
  creation: Promise<Created> | undefined;
}

/**
 * One node of this process in a queue, and the call that waits for its turn.
 *
 *     creating ──► waiting ──► granted        any ──► ended
 */
export class Contender implements Step, NodeKeeper {
  /** Set once its creation was answered. */
  own: OwnNode | undefined;
  /** The number of its creation, then of its removal: later lists show what came of that. */
  since = 0;
  /** The name of the node that it waits for. */
  blocker: string | undefined;
  /** How its node is removed, or was. */
  removal: Removal | undefined;
  #asking: Asking | undefined;
  #isEnded = false;

  constructor(queue: ContenderListener, entry: Entry, wait: Wait, call: ContenderCall) {
    this.#asking = { queue, entry, wait, call, creation: undefined };
  }

  get isWaiting(): boolean {
    return this.#asking !== undefined && this.own !== undefined;
  }

  get isGranted(): boolean {
    return !this.#asking && !this.#isEnded;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Its creation was sent. The wait may be over: then it ends at once. */
  created(creation: Promise<Created>): void {
    if (!this.#asking) return;
    this.#asking.creation = creation;
    this.#asking.wait.enter(this);
  }

  /** Its creation was answered. */
  queued(own: OwnNode): void {
    this.own = own;
    if (this.#asking) this.#asking.creation = undefined;
  }

  /** Another node keeps it waiting. False where that is known. */
  waitFor(name: string): boolean {
    const { blocker } = this;
    if (blocker === name) return false;
    this.blocker = name;
    this.#asking?.wait.blocked();
    if (blocker === undefined && this.#asking) this.#read(this.#asking);
    return true;
  }

  /** Its turn has come. */
  grant(): void {
    const asking = this.#asking;
    this.#asking = this.blocker = undefined;
    asking?.wait.leave(this);
    asking?.call.resolve(this.own);
  }

  /** Ends it where it has not been granted, and removes its node. The call to be told; undefined where it has ended. */
  end(lease: SessionLease): ContenderCall | undefined {
    const { own } = this;
    const asking = this.#end();
    if (!asking) return undefined;
    const { remover } = asking.entry.context;
    if (asking.creation) remover.adopt(lease, asking.creation);
    if (own) {
      own.abandon();
      void remover.remove(lease, own.path);
    }
    return asking.call;
  }

  /** Its node is being removed, whether it was granted or not. */
  removing(removal: Removal, number: number): void {
    this.#isEnded = true;
    this.removal = removal;
    this.since = number;
  }

  /** Its node has gone with the session. */
  endWithSession(): void {
    const { own } = this;
    const asking = this.#end();
    if (!asking) return;
    own?.abandon();
    asking.call.reject(new SessionOverError());
  }

  /** The wait is over. */
  fail(error: Error): void {
    this.#asking?.queue.giveUp(this, error);
  }

  onLost(): void {
    this.#asking?.queue.lost(this);
  }

  onRevoked(): void {
    // It holds nothing yet that it could give up.
  }

  #end(): Asking | undefined {
    const asking = this.#asking;
    if (!asking) return undefined;
    this.#isEnded = true;
    this.#asking = this.blocker = undefined;
    asking.wait.leave(this);
    return asking;
  }

  /** Reads its node and sets the watch on it, so that it can be granted without a request. */
  #read({ queue }: Asking): void {
    this.own?.keepFor(this);
    this.own?.read().then(
      (czxid) => {
        if (czxid === undefined) queue.lost(this);
      },
      (error: unknown) => queue.giveUp(this, error as Error),
    );
  }
}

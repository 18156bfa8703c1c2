import {
  type Created,
  retryDelay,
  type SessionLease,
  SessionOverError,
  type Step,
  type Wait,
} from 'zk-client/recipes';
import type { Claim, QueueContext, QueueView, Recipe } from './lock-node.js';
import type { OwnNode } from './own-node.js';
import { refuseIfTaken } from './single-try.js';
import { explained, explainRefusal, type WaitRequest } from './wait.js';

export interface ContenderQueue {
  /** Creates a contender's node. */
  enter(contender: Contender, call: Call<unknown>): void;
  /**
   * Ends a contender that has not been granted, and removes its node. Returns the call that waited
   * by it.
   */
  end(contender: Contender): Call<unknown> | undefined;
}

export interface AcquireContext extends QueueContext {
  readonly queues: {
    of(lease: SessionLease, view: QueueView, context: QueueContext): ContenderQueue;
  };
}

export interface Call<T> {
  readonly context: AcquireContext;
  readonly recipe: Recipe;
  readonly claim: Claim<T>;
  readonly wait: Wait;
  resolve(claimed: T): void;
  reject(error: unknown): void;
}

/**
 * Queues until it is this call's turn, and then claims its node.
 *
 * If the node of a call is deleted, or its session ends, while the call waits, the call queues
 * again. Unless `claim` turned the node into a result, the node is removed at the end.
 *
 * @throws the error of `wait` once that is over
 * @throws {LockAccessError} {@link LockDirectoryError}
 * @throws {ZooKeeperError} the server's refusal
 */
export function acquire<T>(
  recipe: Recipe,
  claim: Claim<T>,
  request: WaitRequest,
  wait: Wait,
  context: AcquireContext,
): Promise<T> {
  const queueUp = (): Promise<T> =>
    new Promise((resolve, reject) => {
      void new Contender({ context, recipe, claim, wait, resolve, reject }).queueUp();
    });
  if (request.timeoutMs > 0) return queueUp();
  return explainRefusal(context.session, recipe.directory, () =>
    refuseIfTaken(recipe, request, wait, context),
  ).then(queueUp);
}

/**
 * One node of a call in a queue. If the node is deleted before its turn, or the session ends, the
 * call queues again with another contender.
 *
 *     creating ──► waiting ──► granted        any ──► ended
 *
 * No async frame stays alive while it waits, and a holder retains nothing of its call: there may be
 * 10,000 of each.
 */
export class Contender<T = unknown> implements Step {
  state: 'creating' | 'waiting' | 'granted' | 'ended' = 'creating';
  creation: Promise<Created> | undefined;
  own: OwnNode | undefined;
  /** The number of its creation request, or of the latest list that showed its node. */
  since = 0;
  /** The name of the node that it waits for. */
  blocker: string | undefined;
  /**
   * The name of the node before that one. When it goes, a list is requested, so the order is known
   * when the other one goes.
   */
  earlier: string | undefined;
  #queue: ContenderQueue | undefined;
  #call: Call<T> | undefined;

  /** @param failed the number of contenders that the call has already had */
  constructor(
    call: Call<T>,
    private readonly failed = 0,
  ) {
    this.#call = call;
  }

  async queueUp(): Promise<void> {
    const call = this.#call;
    if (!call) return;
    const { context, recipe, wait } = call;
    const { session, queues } = context;
    try {
      if (this.failed > 0) await retryDelay(this.failed, wait);
      wait.throwIfOver();
      const lease = session.connectedLease ?? (await session.whenConnected(wait.signal));
      this.#queue = queues.of(lease, recipe, context);
      this.#queue.enter(this, call);
    } catch (error) {
      this.#refuse(call, error);
    }
  }

  /**
   * Called when another node is in the way. Returns false for a single try, which does not wait.
   */
  block(): boolean {
    this.#call?.wait.blocked();
    if (this.state !== 'waiting') return false;
    // Before a grant, a node of which nothing is known has to be read anyway.
    if (this.own?.czxid === undefined) this.read();
    return true;
  }

  /**
   * Reads its node and sets the watch on it, so that the node can be granted later without a
   * request.
   */
  read(): void {
    if (this.state !== 'waiting' || this.own?.isConfirmed) return;
    this.own?.read().then(
      (czxid) => {
        if (czxid === undefined) this.lose();
      },
      (error: unknown) => this.fail(error as Error),
    );
  }

  /** Called when its turn has come. */
  async claim(): Promise<void> {
    const { own } = this;
    const call = this.leave();
    if (!call || !own) return;
    const { context, recipe, wait } = call;
    let claimed: T | undefined;
    try {
      // Its session may have ended in the meantime.
      if (!own.lease.lossReason) claimed = await wait.for(call.claim(own, recipe, context));
    } catch (error) {
      this.#refuse(call, error);
      return;
    } finally {
      if (claimed === undefined) {
        this.state = 'ended';
        own.abandon();
        void context.remover.remove(own.lease, own.path);
      }
    }
    if (claimed === undefined) {
      this.#queueUpAgain(call);
      return;
    }
    context.session.access.callSucceeded();
    call.resolve(claimed);
  }

  /** Called when the wait is over, a request was refused, or the session has ended. */
  fail(error: Error): void {
    const call = this.#queue?.end(this) as Call<T> | undefined;
    if (call) this.#refuse(call, error);
  }

  /** Called when its node is gone, or is not ours. */
  lose(): void {
    const call = this.#queue?.end(this) as Call<T> | undefined;
    if (call) this.#queueUpAgain(call);
  }

  /** Gives up its call. Returns undefined if it has done so before. */
  leave(): Call<T> | undefined {
    const call = this.#call;
    this.#call = undefined;
    call?.wait.leave(this);
    return call;
  }

  #refuse(call: Call<T>, error: unknown): void {
    const { context, recipe } = call;
    if (error instanceof SessionOverError) this.#queueUpAgain(call);
    else call.reject(explained(context.session, error, recipe.directory));
  }

  #queueUpAgain(call: Call<T>): void {
    void new Contender(call, this.failed + 1).queueUp();
  }
}

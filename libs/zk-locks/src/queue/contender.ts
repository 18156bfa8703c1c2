import {
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

export interface AcquireContext extends QueueContext {
  readonly queues: {
    of(
      lease: SessionLease,
      view: QueueView,
      context: QueueContext,
    ): { enter(call: Call<unknown>): void };
  };
}

export interface Call<T> {
  readonly context: AcquireContext;
  readonly recipe: Recipe;
  readonly claim: Claim<T>;
  readonly wait: Wait;
  /** How many of its contenders have failed. */
  failed: number;
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
  const enter = (): Promise<T> =>
    new Promise((resolve, reject) => {
      queueUp({ context, recipe, claim, wait, failed: 0, resolve, reject });
    });
  if (request.timeoutMs > 0) return enter();
  return explainRefusal(context.session, recipe.directory, () =>
    refuseIfTaken(recipe, request, wait, context),
  ).then(enter);
}

function queueUp<T>(call: Call<T>): void {
  const { context, recipe, wait, failed } = call;
  const { session, queues } = context;
  const enter = (lease: SessionLease): void => queues.of(lease, recipe, context).enter(call);
  const lease = wait.isOver || failed > 0 ? undefined : session.connectedLease;
  if (lease) enter(lease);
  else whenReady(call).then(enter, (error: unknown) => failCall(call, error));
}

async function whenReady<T>({ context, wait, failed }: Call<T>): Promise<SessionLease> {
  if (failed > 0) await retryDelay(failed, wait);
  wait.throwIfOver();
  return context.session.whenConnected(wait.signal);
}

/**
 * Called when a call has failed to create its node, or has lost it.
 *
 * @param error undefined if the node has gone
 */
export function failCall<T>(call: Call<T>, error: unknown): void {
  const { context, recipe } = call;
  if (error === undefined || error instanceof SessionOverError) {
    call.failed++;
    queueUp(call);
  } else {
    call.reject(explained(context.session, error, recipe.directory));
  }
}

/**
 * One node of a call in a queue. If the node is deleted before its turn, or the session ends, the
 * call queues again with another contender.
 *
 *     waiting ──► granted        any ──► ended
 *
 * No async frame stays alive while it waits, and a holder retains nothing of its call: there may be
 * 10,000 of each.
 */
export class Contender<T = unknown> implements Step {
  /** Ended as soon as the deletion of its node has been sent. */
  state: 'waiting' | 'granted' | 'ended' = 'waiting';
  #call: Call<T> | undefined;

  /** @param since the number of its creation request, or of the latest list that showed its node */
  constructor(
    call: Call<T>,
    readonly own: OwnNode,
    public since: number,
  ) {
    this.#call = call;
  }

  /** Called when another node is in the way. Returns false if that ends the call, a single try. */
  block(): boolean {
    this.#call?.wait.blocked();
    if (!this.#call) return false;
    // Before a grant, a node of which nothing is known has to be read anyway.
    if (this.own.czxid === undefined) this.read();
    return true;
  }

  /**
   * Reads its node and sets the watch on it, so that the node can be granted later without a
   * request.
   */
  read(): void {
    if (this.state !== 'waiting' || this.own.isConfirmed) return;
    this.own.read().then(
      (czxid) => {
        if (czxid === undefined) this.fail();
      },
      (error: unknown) => this.fail(error as Error),
    );
  }

  /** Called when its turn has come. */
  claim(): void {
    const { own } = this;
    const call = this.#leave();
    if (!call) return;
    const { context, recipe, wait } = call;
    // Its session may have ended in the meantime.
    if (own.lease.lossReason) {
      this.#end(call);
      return;
    }
    const onClaimed = (claimed: T | undefined): void => {
      if (claimed === undefined) {
        this.#end(call);
      } else {
        context.session.access.callSucceeded();
        call.resolve(claimed);
      }
    };
    wait.until(call.claim(own, recipe, context), onClaimed, (error) => this.#end(call, error));
  }

  /**
   * Called when the wait is over, a request was refused, or the session has ended; without an error
   * when its node is gone, or is not ours.
   */
  fail(error?: Error): void {
    const call = this.#leave();
    if (call) this.#end(call, error);
  }

  /** Returns the call, which no longer waits for this contender; undefined the second time. */
  #leave(): Call<T> | undefined {
    const call = this.#call;
    this.#call = undefined;
    call?.wait.leave(this);
    return call;
  }

  #end(call: Call<T>, error?: unknown): void {
    void call.context.remover.remove(this.own.lease, this.own.path);
    this.own.abandon();
    failCall(call, error);
  }
}

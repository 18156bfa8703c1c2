import { types } from 'node:util';
import { hasReturnCode, isConnectionError, ReturnCode } from '../client/client-errors.js';
import type { NodeEvent } from '../client/zookeeper-client.js';
import type { NodeListener } from '../session/node-watches.js';
import type { Session } from '../session/session.js';
import type { LeaseListener, SessionLease } from '../session/session-lease.js';
import type { NodeKeeper, OwnNode } from './own-node.js';
import { SessionOverError } from './persist.js';
import type { Step, Wait } from './wait.js';

export interface NodeEventOptions {
  /** The queue has to be looked at as well when this is gone. */
  readonly own?: OwnNode;
  /** Called in the turn in which ZooKeeper tells of a deletion. */
  readonly onGone?: () => void;
}

/**
 * Resolves when the node at `path` is gone, or has changed: the queue has to be looked at again. So
 * it does when `own` is gone.
 *
 * @throws the error of `wait`
 * @throws {SessionOverError} {@link ZooKeeperError}
 */
export function nodeEvent(
  session: Session,
  lease: SessionLease,
  path: string,
  wait: Wait,
  options: NodeEventOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    new Lookout({ session, lease, path, wait, ...options }, resolve, reject).begin();
  });
}

interface LookoutContext extends NodeEventOptions {
  readonly session: Session;
  readonly lease: SessionLease;
  readonly path: string;
  readonly wait: Wait;
}

/** One object for all that may end it, without functions of its own: ten thousand waiters have one each. */
class Lookout implements NodeListener, LeaseListener, NodeKeeper, Step {
  #isOver = false;

  constructor(
    private readonly context: LookoutContext,
    private readonly resolve: () => void,
    private readonly reject: (error: Error) => void,
  ) {}

  begin(): void {
    const { session, lease, path, wait, own } = this.context;
    session.watch(path, this);
    wait.enter(this);
    if (!this.#isOver) lease.listen(this);
    if (this.#isOver) return;
    void this.#setWatch();
    own?.keepFor(this);
    own?.confirm().then(
      (czxid) => czxid === undefined && this.#end(),
      (error: unknown) => this.fail(error as Error),
    );
  }

  onNodeEvent(event: NodeEvent | 'gap'): void {
    if (event === 'deleted') this.context.onGone?.();
    if (event === 'gap') void this.#setWatch();
    else this.#end();
  }

  onLost(): void {
    this.#end();
  }

  onRevoked(): void {
    // It holds nothing yet that it could give up.
  }

  onLeaseEnd(): void {
    this.fail(new SessionOverError());
  }

  fail(error: Error): void {
    this.#stop();
    this.reject(error);
  }

  #end(): void {
    this.#stop();
    this.resolve();
  }

  #stop(): void {
    const { session, lease, path, wait } = this.context;
    this.#isOver = true;
    session.unwatch(path, this);
    wait.leave(this);
    lease.unlisten(this);
  }

  async #setWatch(): Promise<void> {
    const { session, lease, path } = this.context;
    try {
      await session.setWatch(lease, path);
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) this.#end();
      // A lost connection is followed by a gap or by the session's end.
      else if (types.isNativeError(error) && !isConnectionError(error)) this.fail(error);
    }
  }
}

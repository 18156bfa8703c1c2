import type { LocksContext } from '../grant/locks-context.js';
import { NodeGrant } from '../grant/node-grant.js';
import { explained } from '../queue/wait.js';
import { nextChange } from '../queue/next-event.js';
import { OwnNode } from '../queue/own-node.js';
import { isBusy, refuseIfTaken } from '../queue/single-try.js';
import {
  askOnAnySession,
  OperationRefusedError,
  parentOf,
  retryDelay,
  retryUntilAnswered,
  type SessionLease,
  type Wait,
} from 'zk-client/recipes';
import { type LockRequest, readWriteNode, type TakeLock } from '../read-write/read-write-locks.js';
import { Lines } from './lines.js';
import { LockPair, lockPathOf } from './lock-pair.js';

/**
 * The exclusive locks of the dialect `single-node`: one ephemeral node for each key. All waiting
 * processes watch it, and compete for it when it is deleted. Within a process, one call competes at
 * a time.
 */
export function singleNodeLocks(): TakeLock {
  const lines = new Lines();
  return (request, wait, context) => {
    const { directory, timeoutMs } = request;
    const compete = async (): Promise<NodeGrant> => {
      const { session } = context;
      const competing = new Competitor(request, wait, context).compete();
      const grant = await competing.catch((error: unknown) => {
        // The guards have a directory of their own.
        const isOfNode = error instanceof OperationRefusedError;
        throw explained(session, error, isOfNode ? parentOf(error.path) : directory);
      });
      session.access.callSucceeded();
      return grant;
    };
    return timeoutMs === 0 ? compete() : lines.inTurn(directory, wait, compete);
  };
}

/** One call that competes for its lock. */
class Competitor {
  readonly #node;

  constructor(
    private readonly request: LockRequest,
    private readonly wait: Wait,
    private readonly context: LocksContext,
  ) {
    this.#node = readWriteNode(request, context);
  }

  async compete(): Promise<NodeGrant> {
    const { request, wait } = this;
    const { session } = this.context;
    const lock = lockPathOf(request.directory);
    const isSingle = request.timeoutMs === 0;
    if (isSingle)
      await refuseIfTaken({ ...this.#node, isTaken: isBusy }, request, wait, this.context);
    let mayBeFree: boolean | undefined = isSingle || undefined;
    const connected = (): Promise<SessionLease> => session.whenConnected(wait.signal);
    return askOnAnySession(connected, async (lease) => {
      mayBeFree ??= !(await wait.for(this.#isTaken(lease)));
      for (let failed = 0; ; failed++) {
        if (failed > 0) await retryDelay(failed, wait);
        wait.throwIfOver();
        const outcome = mayBeFree ? await this.#claim(lease) : 'taken';
        mayBeFree = true;
        if (outcome === undefined) continue;
        if (outcome !== 'taken') return outcome;
        wait.blocked();
        wait.throwIfOver();
        // After an event, the next attempt follows immediately, however many have failed.
        if (await nextChange({ session, lease, wait }, lock)) failed = -1;
      }
    });
  }

  /** Checked before anything is written into what may be the directory of another dialect. */
  #isTaken(lease: SessionLease): Promise<boolean> {
    const { context } = this;
    return retryUntilAnswered(context.session, lease, () => isBusy(context, this.#node, lease));
  }

  /** Unless it ends with a grant, both nodes are removed. */
  async #claim(lease: SessionLease): Promise<NodeGrant | undefined | 'taken'> {
    const { wait } = this;
    const granting = this.#grant(lease);
    try {
      return await wait.for(granting);
    } catch (error) {
      void granting.then(
        (granted) => (granted instanceof NodeGrant ? granted.release() : undefined),
        () => undefined,
      );
      throw error;
    }
  }

  async #grant(lease: SessionLease): Promise<NodeGrant | undefined | 'taken'> {
    const { context, request } = this;
    const { directory } = request;
    const { data } = this.#node;
    const pair = await LockPair.create(context, lease, directory, data, this.wait);
    if (!(pair instanceof LockPair)) return pair;
    const own = new OwnNode(context.session, lease, pair.lock, pair.node);
    let granted: NodeGrant | undefined;
    try {
      granted = await new SingleNodeGrant(context, lease, request, pair).add(own);
    } finally {
      if (!granted) {
        own.abandon();
        void pair.discard();
      }
    }
    return granted;
  }
}

class SingleNodeGrant extends NodeGrant {
  constructor(
    context: LocksContext,
    lease: SessionLease,
    { key, mode }: LockRequest,
    private readonly pair: LockPair,
  ) {
    super(context, lease, { key, mode });
  }

  override get nodePaths(): readonly string[] {
    return this.pair.paths;
  }

  protected override remove(own: OwnNode): Promise<void> {
    // A lost node may be gone and replaced by another holder's, or only hidden.
    return this.pair.discard({ areThere: !own.isLost && this.hasFreshNews });
  }
}

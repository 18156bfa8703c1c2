import { createListedNode, type NewLockNode, type QueueContext } from '../queue/lock-node.js';
import { nextEvent } from '../queue/next-event.js';
import type { NodeKeeper, OwnNode } from '../queue/own-node.js';
import type { WaitRequest } from '../queue/wait.js';
import { nameOf, orIfGone, retryUntilAnswered, type Wait } from 'zk-client/recipes';
import { NodeGrant } from '../grant/node-grant.js';
import type { PermitAgreement } from './permit-agreement.js';
import { readCount } from './permit-count.js';
import type { PermitCount } from '../options/permit-options.js';
import { verdict, type Sight, type Verdict } from './verdict.js';

/** One call for permits, with everything decided. */
export interface PermitRequest extends WaitRequest {
  readonly mode: 'permit';
  /** Of the semaphore's key. */
  readonly directory: string;
  /** How many are wanted. */
  readonly take: number;
  readonly count: PermitCount;
  readonly agreement: PermitAgreement;
  readonly label: string | undefined;
}

/**
 * What a call does when its turn has come: it creates a lease for each permit that it wants, waits
 * until there are no more leases than permits, and leaves the queue with a grant of them all.
 *
 * It stays at the head for all of its leases: had two calls one each of the two that both want, none
 * would ever get the other.
 */
export class PermitClaim implements NodeKeeper {
  /** Their paths. */
  #leases: readonly string[] = [];
  /** Of all of them, once it is granted. */
  #grant: NodeGrant | undefined;

  /**
   * @param turn the own node at the head of the queue
   * @param newLease of each permit
   */
  constructor(
    private readonly context: QueueContext,
    private readonly request: Pick<PermitRequest, 'key' | 'take' | 'count' | 'agreement'>,
    private readonly turn: Pick<OwnNode, 'lease' | 'path'>,
    private readonly newLease: NewLockNode,
    private readonly wait: Wait,
  ) {}

  /**
   * The grant; undefined where a lease, or the place in the queue, turns out to be gone. Leaves no
   * lease behind then, nor when it throws.
   *
   * @throws the error of the wait
   * @throws {ZkLockConfigError} where other processes name another number of permits
   * @throws {SessionOverError} {@link SharedCountError} {@link ZooKeeperError}
   */
  async run(): Promise<NodeGrant | undefined> {
    const { remover } = this.context;
    const { lease } = this.turn;
    try {
      const sight = await this.#createLeases();
      if (await this.#awaitPermits(sight)) await this.#hold();
      return this.#grant;
    } finally {
      if (!this.#grant) for (const path of this.#leases) void remover.remove(lease, path);
    }
  }

  /** The place in the queue is given up: what was granted a moment ago is not announced. */
  onLost(): void {
    void this.#grant?.release();
  }

  onRevoked(): void {
    // A place in the queue cannot be asked for.
  }

  /** What was to be seen right behind their creation, where that was enough. */
  async #createLeases(): Promise<Sight | undefined> {
    const { context, newLease, wait } = this;
    const { lease } = this.turn;
    const { count, take, agreement } = this.request;
    const creating = Array.from({ length: take }, () =>
      createListedNode(context, lease, newLease, wait),
    );
    const created = await wait.for(Promise.all(creating)).catch((error: unknown) => {
      for (const node of creating) context.remover.adopt(lease, node);
      throw error;
    });
    this.#leases = created.map(({ path }) => path);
    // The directory may be new. With leases in it, it stays.
    if (!agreement.isKnown(lease)) {
      const ask = (): Promise<void> => agreement.ask(lease);
      await wait.for(retryUntilAnswered(context.session, lease, ask));
    }
    if (count.kind === 'shared') return undefined;
    // Any list that shows all of them is as new as the last of them.
    const lists = new Set(created.map(({ names = [] }) => names));
    const sights = Array.from(lists, (names) => ({
      leases: names,
      permits: count.permits,
      isQueued: true,
    }));
    return sights.find((sight) => this.#verdict(sight) !== 'gone');
  }

  /** True when the permits are there; false when a lease, or the place in the queue, is gone. */
  async #awaitPermits(seen: Sight | undefined): Promise<boolean> {
    const { wait } = this;
    let sight = seen ?? (await wait.for(this.#look()));
    while (this.#verdict(sight) === 'wait') {
      wait.blocked();
      wait.throwIfOver();
      await this.#change();
      // Without a watch, which would outlive the wait if this look is the last one.
      sight = await wait.for(this.#look());
    }
    return this.#verdict(sight) === 'granted';
  }

  /** Resolves when something has come or gone, and the leases have to be counted again. */
  async #change(): Promise<void> {
    const { wait, turn, newLease } = this;
    const { session } = this.context;
    const { lease } = turn;
    const { count } = this.request;
    const paths = [newLease.directory, turn.path, ...(count.kind === 'shared' ? [count.path] : [])];
    // What came or went before the watches were set is seen by setting them.
    const setWatches = async (): Promise<boolean> =>
      this.#verdict(await this.#look({ watch: true })) !== 'wait';
    await nextEvent({ session, lease, wait, paths, setWatches });
  }

  /** All of it by the same connection, and the count after the leases: so it is no older than they. */
  #look({ watch = false } = {}): Promise<Sight> {
    const { session, directories } = this.context;
    const { lease, path } = this.turn;
    const { count } = this.request;
    const { directory } = this.newLease;
    return retryUntilAnswered(session, lease, async () => {
      const [leases, permits, isQueued] = await Promise.all([
        orIfGone(session.list(lease, directory, { watch }), []),
        readCount(session, lease, count, { watch, directories }),
        orIfGone(
          session.get(lease, path, { watch }).then(() => true),
          false,
        ),
      ]);
      return { leases, permits, isQueued };
    });
  }

  /** Leaves the queue with a grant of all leases; without one where one of them is gone. */
  async #hold(): Promise<void> {
    const { context, wait } = this;
    const { lease, path } = this.turn;
    const { key } = this.request;
    const grant = new NodeGrant(context, lease, { key, mode: 'permit' });
    try {
      const adding = Promise.all(this.#leases.map((path) => grant.addPath(path)));
      const leaving = context.remover.remove(lease, path, 'granted');
      const areTaken = (await wait.for(adding)).every(Boolean);
      // When these permits are announced, the place in the queue is free.
      await leaving;
      // In the same turn as the answer: a wait that is over has no call to give a grant to.
      wait.throwIfOver();
      if (areTaken) this.#grant = grant;
    } finally {
      // No caller has seen it, and its leases are removed with those that it has not got.
      if (!this.#grant) grant.lose('node-deleted');
    }
  }

  #verdict(sight: Sight): Verdict {
    const own = this.#leases.map(nameOf);
    this.request.agreement.check(sight.leases, own);
    return verdict(own, sight);
  }
}

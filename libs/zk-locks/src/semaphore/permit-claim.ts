import { createListedNode, type NewLockNode, type QueueContext } from '../queue/lock-node.js';
import { nextEvent } from '../queue/next-event.js';
import type { NodeKeeper, OwnNode } from '../queue/own-node.js';
import { explainRefusal, type WaitRequest } from '../queue/wait.js';
import { nameOf, orIfGone, retryUntilAnswered, type Wait } from 'zk-client/recipes';
import { NodeGrant } from '../grant/node-grant.js';
import type { PermitAgreement } from './permit-agreement.js';
import { readCount } from './permit-count.js';
import type { PermitCount } from '../options/permit-options.js';
import { forEachInSlices, inSlices } from '../slices.js';

/** One call for permits, with all its options resolved. */
export interface PermitRequest extends WaitRequest {
  readonly mode: 'permit';
  /** The directory of the semaphore's key. */
  readonly directory: string;
  /** The number of permits that the call takes. */
  readonly take: number;
  readonly count: PermitCount;
  readonly agreement: PermitAgreement;
  readonly label: string | undefined;
}

/**
 * What a call does when its turn has come: it creates a lease for each permit that it takes, waits
 * until there are no more leases than permits, and leaves the queue with a grant of all its leases.
 *
 * It stays at the head of the queue until it has them all: if two calls each held one of two
 * permits that both need, neither would ever get the other.
 */
export class PermitClaim implements NodeKeeper {
  /** The paths of the leases. */
  #leases: readonly string[] = [];
  /** The grant of all leases, once there is one. */
  #grant: NodeGrant | undefined;

  /**
   * @param turn the own node at the head of the queue
   * @param newLease the lease to create for each permit
   */
  constructor(
    private readonly context: QueueContext,
    private readonly request: Pick<PermitRequest, 'key' | 'take' | 'count' | 'agreement'>,
    private readonly turn: Pick<OwnNode, 'lease' | 'path'>,
    private readonly newLease: NewLockNode,
    private readonly wait: Wait,
  ) {}

  /**
   * Returns the grant, or undefined if a lease or the place in the queue turns out to be gone. In
   * that case, and when it throws, it leaves no lease behind.
   *
   * @throws the error of the wait
   * @throws {ZkLockConfigError} when other processes have another number of permits
   * @throws {SessionOverError} {@link SharedCountError} {@link ZooKeeperError}
   */
  async run(): Promise<NodeGrant | undefined> {
    const { remover } = this.context;
    const { lease } = this.turn;
    try {
      const seen = await this.#createLeases();
      if (await this.#awaitPermits(seen)) await this.#hold();
      return this.#grant;
    } finally {
      if (!this.#grant) for (const path of this.#leases) void remover.remove(lease, path);
    }
  }

  /** The place in the queue is given up; a grant made just before that is not announced. */
  lose(): void {
    void this.#grant?.release();
  }

  /** Returns the verdict on what was seen right after the creation, if that is enough to decide. */
  async #createLeases(): Promise<Verdict | undefined> {
    const { context, newLease, wait } = this;
    const { lease } = this.turn;
    const { count, take, agreement } = this.request;
    const creating = Array.from({ length: take }, () =>
      createListedNode(context, lease, newLease, wait),
    );
    const created = await explainRefusal(context.session, newLease.directory, () =>
      wait.for(Promise.all(creating)),
    ).catch((error: unknown) => {
      for (const node of creating) context.remover.adopt(lease, node);
      throw error;
    });
    this.#leases = created.map(({ path }) => path);
    // The directory may be new. While it contains leases, it stays.
    if (!agreement.isKnown(lease)) {
      const ask = (): Promise<void> => agreement.ask(lease);
      const asking = (): Promise<void> => retryUntilAnswered(context.session, lease, ask);
      await wait.for(explainRefusal(context.session, newLease.directory, asking));
    }
    if (count.kind === 'shared') return undefined;
    // Any list that shows all of them is at least as new as the last of them.
    for (const leases of new Set(created.map(({ names = [] }) => names))) {
      const seen = await this.#verdict({ leases, permits: count.permits, isQueued: true });
      if (seen !== 'gone') return seen;
    }
    return undefined;
  }

  /** True when the permits are granted; false when a lease or the place in the queue is gone. */
  async #awaitPermits(seen: Verdict | undefined): Promise<boolean> {
    const { wait } = this;
    let latest = seen ?? (await this.#verdict(await wait.for(this.#look())));
    while (latest === 'wait') {
      wait.blocked();
      wait.throwIfOver();
      await this.#change();
      // Without a watch, which would outlive the wait if this look is the last one.
      latest = await this.#verdict(await wait.for(this.#look()));
    }
    return latest === 'granted';
  }

  /** Resolves when something has changed, so that the leases have to be counted again. */
  async #change(): Promise<void> {
    const { wait, turn, newLease } = this;
    const { session } = this.context;
    const { lease } = turn;
    const { count } = this.request;
    const paths = [newLease.directory, turn.path, ...(count.kind === 'shared' ? [count.path] : [])];
    // Changes that happened before the watches were set are found by setting them.
    const setWatches = async (): Promise<boolean> =>
      (await this.#verdict(await this.#look({ watch: true }))) !== 'wait';
    await nextEvent({ session, lease, wait }, paths, setWatches);
  }

  /**
   * Reads everything on one connection, the count after the leases, so that the count is no older
   * than they are. If a busy server refuses the list, the count is read again after the next one.
   */
  #look({ watch = false } = {}): Promise<Sight> {
    const { session, directories } = this.context;
    const { lease, path } = this.turn;
    const { count } = this.request;
    const { directory } = this.newLease;
    return retryUntilAnswered(session, lease, async () => {
      let counting!: Promise<number>;
      const onSent = (): void => {
        counting = readCount(session, lease, count, { watch, directories });
        counting.catch(() => undefined);
      };
      const [leases, isQueued] = await Promise.all([
        explainRefusal(session, directory, () =>
          orIfGone(session.list(lease, directory, { watch, onSent }), []),
        ),
        orIfGone(
          session.get(lease, path, { watch }).then(() => true),
          false,
        ),
      ]);
      return { leases, permits: await counting, isQueued };
    });
  }

  /** Leaves the queue with a grant of all leases, or without one if a lease is gone. */
  async #hold(): Promise<void> {
    const { context, wait } = this;
    const { lease, path } = this.turn;
    const { key } = this.request;
    const grant = new NodeGrant(context, lease, { key, mode: 'permit' });
    try {
      const adding = Promise.all(this.#leases.map((path) => grant.addPath(path)));
      const leaving = context.remover.remove(lease, path, 'granted');
      const areTaken = (await wait.for(adding)).every(Boolean);
      // When these permits are announced, the place in the queue is already free.
      await leaving;
      // In the same turn as the answer: once the wait is over, there is no call to grant anything
      // to.
      wait.throwIfOver();
      if (areTaken) this.#grant = grant;
    } finally {
      // No caller has seen this grant. Its leases are removed with the others.
      if (!this.#grant) grant.discard();
    }
  }

  async #verdict(sight: Sight): Promise<Verdict> {
    const own = this.#leases.map(nameOf);
    await inSlices(this.request.agreement.check(sight.leases, own));
    return inSlices(verdict(own, sight));
  }
}

/**
 * What a call sees whose turn has come and whose leases are created, but which does not hold its
 * permits yet.
 */
interface Sight {
  /** The children of the leases' directory. */
  readonly leases: readonly string[];
  readonly permits: number;
  /** Whether its node is still at the head of the queue. */
  readonly isQueued: boolean;
}

type Verdict = 'granted' | 'wait' | 'gone';

/**
 * Decides whether a call has its permits, from what it sees after it has created its own leases.
 *
 * This alone guarantees that never more permits are held than there are, whatever happens to the
 * queue. Proof: of the leases held at any instant, take the one that was created last. Its owner
 * saw a list that contains it. That list is newer than all of these leases, and contained no more
 * leases than there are permits. So requiring that the list shows the own leases does more than
 * check that they exist: it proves that the list is new enough, even if a lagging server has
 * answered. Leases that are not held yet, or no longer, are counted as well: an error can only keep
 * a call out.
 *
 * The queue serves two other purposes. Only its head has leases that it does not hold yet, so two
 * calls never wait for each other's leases. And only the head is woken when a lease is returned.
 */
function* verdict(
  own: readonly string[],
  { leases, permits, isQueued }: Sight,
): Generator<undefined, Verdict> {
  const missing = new Set(own);
  yield* forEachInSlices(leases, (lease) => void missing.delete(lease));
  if (!isQueued || missing.size > 0) return 'gone';
  return leases.length <= permits ? 'granted' : 'wait';
}

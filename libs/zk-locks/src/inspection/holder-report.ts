import type { SessionLease } from '../session/session-lease.js';
import { type LockHolder, LockTimeoutError } from '../lock-errors.js';
import { otherReaders, type QueueNode } from '../queue/dialect.js';
import type { QueueContext } from '../queue/lock-node.js';
import { Wait } from '../queue/wait.js';
import { setImmediate } from '../real-time.js';
import { describeHolders } from './held-by.js';
import { holdersOf, readContender } from './inspection.js';

/** The longest time for which an error is kept back to say more, in milliseconds. */
const LOOK_MS = 100;

/** The most of them that are read. */
export const MOST_HOLDERS = 10;

export interface FoundHolders {
  readonly holders: readonly LockHolder[];
  /** How many there are, also where not all were read. */
  readonly total: number;
  /** They are calls of this process, which share a node. */
  readonly isHere?: boolean;
}

/** The reader that waits to be a writer. */
export interface UpgradingHolder {
  readonly path: string;
  /** The number of all its nodes in a queue. */
  readonly sequence: number;
}

type Find = (lease: SessionLease) => Promise<FoundHolders>;

/**
 * Sees who holds what somebody has waited for in vain, where that can be seen at once: whoever waits
 * no longer is told of that in any case, and soon.
 */
export class HolderReport {
  /** Many give up together, and see the same. */
  readonly #underway = new Map<string, Promise<FoundHolders | undefined>>();

  /**
   * @param closing aborts when the service closes
   * @param holdersHere the calls of this process that hold the lock of a directory by a node that they share
   */
  constructor(
    private readonly context: QueueContext,
    private readonly closing: AbortSignal,
    private readonly holdersHere?: (directory: string) => readonly LockHolder[],
  ) {}

  /** The error for the caller of a lock. */
  async explain(error: unknown, directory: string): Promise<unknown> {
    if (!isWorthALook(error)) return error;
    // Calls that share a node wait for each other without a request, and give up without one.
    const here = this.holdersHere?.(directory) ?? [];
    if (here.length === 0) {
      return this.explainBy(error, directory, (lease) => this.#findHolders(lease, directory));
    }
    const holders = here.slice(0, MOST_HOLDERS);
    return tell(error, { holders, total: here.length, isHere: true });
  }

  /** The error for a reader that waits for the others, to be a writer. */
  async explainUpgrade(
    error: unknown,
    directory: string,
    upgrading: UpgradingHolder,
  ): Promise<unknown> {
    return this.explainBy(error, upgrading.path, (lease) =>
      this.#findReaders(lease, directory, upgrading),
    );
  }

  /**
   * The error for a caller: that of a timeout tells who holds what was waited for. Never rejects.
   *
   * @param place the same for all who wait for the same
   */
  async explainBy(error: unknown, place: string, find: Find): Promise<unknown> {
    if (!isWorthALook(error)) return error;
    const found = await this.#look(place, find);
    return found ? tell(error, found) : error;
  }

  #look(place: string, find: Find): Promise<FoundHolders | undefined> {
    const underway = this.#underway.get(place);
    if (underway) return underway;
    const look = this.#lookNow(find).finally(() => this.#underway.delete(place));
    this.#underway.set(place, look);
    return look;
  }

  async #lookNow(find: Find): Promise<FoundHolders | undefined> {
    // In this turn the call's own nodes are removed; they are not to be found.
    await new Promise((resolve) => setImmediate(resolve));
    const lease = this.context.session.connectedLease;
    if (!lease) return undefined;
    const giveUp = (): Error => new Error('it takes too long to see who holds it');
    const limits = { timeoutMs: LOOK_MS, answerWithinMs: LOOK_MS, onTimeout: giveUp };
    using wait = new Wait({ ...limits, signal: this.closing, onAbort: giveUp });
    try {
      return await wait.for(find(lease));
    } catch {
      return undefined;
    }
  }

  async #findHolders(lease: SessionLease, directory: string): Promise<FoundHolders> {
    const { lists, dialect } = this.context;
    const queue = dialect.parse(directory, await lists.list(lease, directory));
    return this.#read(lease, directory, holdersOf(queue));
  }

  /** Writers that wait behind the readers hold nothing, also when these are about to leave. */
  async #findReaders(
    lease: SessionLease,
    directory: string,
    upgrading: UpgradingHolder,
  ): Promise<FoundHolders> {
    const { lists, dialect } = this.context;
    const names = await lists.list(lease, directory);
    const queue = dialect.parse(directory, names);
    return this.#read(lease, directory, otherReaders(queue, upgrading.sequence));
  }

  async #read(
    lease: SessionLease,
    directory: string,
    holding: readonly QueueNode[],
  ): Promise<FoundHolders> {
    const read = await Promise.all(
      holding
        .slice(0, MOST_HOLDERS)
        .map((node) => readContender(this.context.session, lease, directory, node)),
    );
    const found = read.filter((contender) => contender !== undefined);
    const holders = found.map(({ node, queuedAt: since, holder }) => ({ node, since, holder }));
    return { holders, total: holding.length - (read.length - found.length) };
  }
}

/** A single try that finds somebody is no rare thing, and not to be paid for. */
function isWorthALook(error: unknown): error is LockTimeoutError {
  return error instanceof LockTimeoutError && error.timeoutMs !== 0;
}

function tell(error: LockTimeoutError, found: FoundHolders): LockTimeoutError {
  const { holders } = found;
  const heldBy = describeHolders(holders, found);
  if (heldBy === undefined) return error;
  const { key, mode, timeoutMs } = error;
  return new LockTimeoutError(key, mode, timeoutMs, { heldBy, holders });
}

import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import { type LockHolder, LockTimeoutError } from '../lock-errors.js';
import { Wait } from '../queue/wait.js';
import { describeHolders } from './held-by.js';
import { holdersOf, type InspectContext, readContender } from './inspection.js';

/** The longest time for which an error is kept back to say more, in milliseconds. */
const LOOK_MS = 100;

/** The most of them that are read. */
export const MOST_HOLDERS = 10;

export interface FoundHolders {
  readonly holders: readonly LockHolder[];
  /** How many there are, also where not all were read. */
  readonly total: number;
}

export interface HolderLookContext extends InspectContext {
  readonly session: Session;
  /** Aborts when the service closes. */
  readonly closing: AbortSignal;
}

type Find = (lease: SessionLease) => Promise<FoundHolders>;

/**
 * Sees who holds what somebody has waited for in vain, where that can be seen at once: whoever waits
 * no longer is told of that in any case, and soon.
 */
export class HolderLook {
  /** Many give up together, and see the same. */
  readonly #underway = new Map<string, Promise<FoundHolders | undefined>>();

  constructor(private readonly context: HolderLookContext) {}

  /** The error for the caller of a lock. */
  async explain(error: unknown, directory: string): Promise<unknown> {
    // Calls of one cohort wait for each other without a request, and give up without one.
    const isHeldHere = (this.context.sightOf?.(directory)?.members.length ?? 0) > 0;
    if (isHeldHere) return error;
    return this.explainBy(error, directory, (lease) => this.#findHolders(lease, directory));
  }

  /** The error for a caller: that of a timeout tells who holds what was waited for. Never rejects. */
  async explainBy(error: unknown, directory: string, find: Find): Promise<unknown> {
    // A single try that finds somebody is no rare thing, and not to be paid for.
    if (!(error instanceof LockTimeoutError) || error.timeoutMs === 0) return error;
    const found = await this.#look(directory, find);
    const heldBy = found && describeHolders(found.holders, found.total);
    if (heldBy === undefined) return error;
    const { key, mode, timeoutMs } = error;
    return new LockTimeoutError(key, mode, timeoutMs, { heldBy, holders: found?.holders });
  }

  #look(directory: string, find: Find): Promise<FoundHolders | undefined> {
    const underway = this.#underway.get(directory);
    if (underway) return underway;
    const look = this.#lookNow(find).finally(() => this.#underway.delete(directory));
    this.#underway.set(directory, look);
    return look;
  }

  async #lookNow(find: Find): Promise<FoundHolders | undefined> {
    const { session, closing } = this.context;
    const lease = session.connectedLease;
    if (!lease) return undefined;
    const giveUp = (): Error => new Error('it takes too long to see who holds it');
    const limits = { timeoutMs: LOOK_MS, answerWithinMs: LOOK_MS, onTimeout: giveUp };
    using wait = new Wait({ ...limits, signal: closing, onAbort: giveUp });
    try {
      return await wait.for(find(lease));
    } catch {
      return undefined;
    }
  }

  async #findHolders(lease: SessionLease, directory: string): Promise<FoundHolders> {
    const { session, lists, dialect } = this.context;
    const holding = holdersOf(dialect.parse(directory, await lists.list(lease, directory)));
    const read = await Promise.all(
      holding.slice(0, MOST_HOLDERS).map((node) => readContender(session, lease, directory, node)),
    );
    const found = read.filter((contender) => contender !== undefined);
    const holders = found.map(({ node, sessionId, queuedAt: since, holder }) => ({
      ...{ node, sessionId, since, holder },
    }));
    return { holders, total: holding.length - (read.length - found.length) };
  }
}

import type { Deadlock } from '../lock/deadlock.js';
import { type LockHolder, LockTimeoutError } from '../lock/lock-errors.js';
import { otherReaders, type QueueNode } from '../nodes/dialect.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { Nesting } from '../nodes/holder-data.js';
import { MAX_TIMER_MS, type SessionLease, setImmediate, Wait } from 'zk-client/recipes';
import { DeadlockFinder } from './deadlocks.js';
import { describeHolders } from './held-by.js';
import { asHolder, holdersOf, readContenders } from './inspection.js';

/** The longest time for which an error is delayed to add details, in milliseconds. */
const LOOK_MS = 200;

/** The same for a call that holds other locks. */
const CIRCLE_MS = 1_000;

/** How long before the end of a wait to look, in milliseconds; for short waits, half the wait. */
const LOOK_AHEAD_MS = 1_000;

/**
 * The maximum number of calls that look for circles at the same time; further calls do not look.
 */
const MOST_CIRCLE_LOOKS = 10;

/** The maximum number of holders that are read. */
export const MOST_HOLDERS = 10;

export interface FoundHolders {
  readonly holders: readonly LockHolder[];
  /** The number of holders, even if not all of them were read. */
  readonly total: number;
  /** Whether the first ones are calls of this process, which share nodes. */
  readonly isHere?: boolean;
}

/** The calls of this process that hold a lock through shared nodes. */
export interface HoldersHere extends FoundHolders {
  /** All of their nodes, which may be thousands. */
  readonly nodes: () => ReadonlySet<string>;
  /** Whether the first one writes, so that no other process holds the lock. */
  readonly areAlone: boolean;
}

/** A reader that waits to become a writer. */
export interface UpgradingHolder {
  readonly path: string;
  /** The sequence number that all its nodes in a queue share. */
  readonly sequence: number;
}

type Find = (lease: SessionLease) => Promise<FoundHolders>;

/** A call that waits, or has waited. */
interface WaitingCall {
  readonly directory: string;
  readonly label?: string | undefined;
  readonly nesting?: Nesting | undefined;
  /** When its time is over, by `performance.now()`. */
  readonly deadline: number;
}

/**
 * Ends a look ahead; to be called when the call no longer waits. Resolves with the circle that was
 * seen, if it has looked.
 */
export type LookAhead = () => Promise<Deadlock | undefined>;

/**
 * Finds the holders for which a call has waited, if they can be read quickly: the call's rejection
 * is not delayed for long.
 */
export class HolderReport {
  /** Many calls give up together, and share one look. */
  readonly #underway = new Map<string, Promise<FoundHolders | undefined>>();
  #circleLooks = 0;
  readonly #deadlocks: DeadlockFinder;

  /**
   * @param holdersHere the first calls of this process, up to `most`, that hold the lock of a directory
   * through a shared node
   */
  constructor(
    private readonly context: QueueContext,
    private readonly holdersHere?: (directory: string, most: number) => HoldersHere,
  ) {
    this.#deadlocks = new DeadlockFinder(context);
  }

  /**
   * Looks for the circle in which a call waits shortly before its time is over. Calls with the same
   * timeout give up at the same moment, and none of them would see the others afterwards. Undefined
   * for a call that holds no other locks, and for one whose time is over.
   */
  lookAhead({ nesting, label, deadline }: WaitingCall): LookAhead | undefined {
    if (!nesting) return undefined;
    const waitMs = deadline - performance.now();
    const ms = waitMs - Math.min(LOOK_AHEAD_MS, waitMs / 2);
    // Node warns of a negative delay: earlier parts of the call may have taken all of its time.
    if (ms < 0 || ms > MAX_TIMER_MS) return undefined;
    let found: Promise<Deadlock | undefined> = Promise.resolve(undefined);
    const look = (): void => void (found = this.#lookForCircle(nesting, label));
    const timer = setTimeout(look, ms).unref();
    return () => {
      clearTimeout(timer);
      return found;
    };
  }

  /** The error for the caller of a lock. */
  async explain(error: unknown, call: WaitingCall, ahead?: LookAhead): Promise<unknown> {
    const seen = ahead?.();
    if (!isWorthALook(error)) return error;
    const { directory } = call;
    const here = this.holdersHere?.(directory, MOST_HOLDERS);
    // Calls that share a node wait for each other, and give up, without a request.
    if (here?.areAlone) return tell(error, here);
    const find: Find = (lease) =>
      this.#find(lease, directory, (queue) => {
        const nodes = here?.nodes();
        return holdersOf(queue).filter(({ name }) => !nodes?.has(name));
      });
    return this.explainBy(error, directory, find, call, seen, here);
  }

  /**
   * The error for a reader that waits for the other readers, to become a writer. Leaves out writers that
   * wait behind the readers: they hold nothing, even if the readers are about to leave.
   */
  async explainUpgrade(
    error: unknown,
    call: WaitingCall,
    upgrading: UpgradingHolder,
    ahead?: LookAhead,
  ): Promise<unknown> {
    const { path, sequence } = upgrading;
    const find: Find = (lease) =>
      this.#find(lease, call.directory, (queue) => otherReaders(queue, sequence));
    return this.explainBy(error, path, find, call, ahead?.());
  }

  /**
   * The error for a caller: a timeout error names the holders of what the call waited for, and the
   * circle in which the call has waited. Never rejects.
   *
   * @param subject the same value for all calls that wait for the same thing
   * @param seen the circle that was seen before the end
   * @param here holders that need not be found
   */
  async explainBy(
    error: unknown,
    subject: string,
    find: Find,
    call?: WaitingCall,
    seen?: Promise<Deadlock | undefined>,
    here = NOT_FOUND,
  ): Promise<unknown> {
    if (!isWorthALook(error)) return error;
    const { nesting, label } = call ?? {};
    const looking = this.#look(subject, find);
    const until = performance.now() + CIRCLE_MS;
    // The circle as it was seen, or as it is now without the call.
    const circle = nesting && ((await seen) ?? (await this.#lookForCircle(nesting, label, until)));
    return tell(error, together(here, await looking), circle);
  }

  /** @param until when to give up, by `performance.now()` */
  async #lookForCircle(
    nesting: Nesting,
    label: string | undefined,
    until = performance.now() + CIRCLE_MS,
  ): Promise<Deadlock | undefined> {
    if (this.#circleLooks >= MOST_CIRCLE_LOOKS) return undefined;
    this.#circleLooks++;
    try {
      return await this.#within(Math.max(until - performance.now(), 1), (lease) =>
        this.#deadlocks.ofCall(lease, nesting, label),
      );
    } finally {
      this.#circleLooks--;
    }
  }

  #look(subject: string, find: Find): Promise<FoundHolders | undefined> {
    const underway = this.#underway.get(subject);
    if (underway) return underway;
    const look = this.#within(LOOK_MS, find).finally(() => this.#underway.delete(subject));
    this.#underway.set(subject, look);
    return look;
  }

  async #within<T>(ms: number, find: (lease: SessionLease) => Promise<T>): Promise<T | undefined> {
    // The call's own nodes are removed in this turn of the event loop; they must not be found.
    await new Promise((resolve) => setImmediate(resolve));
    const lease = this.context.session.connectedLease;
    if (!lease) return undefined;
    const giveUp = (): Error => new Error('looking up its holders takes too long');
    const { closing: signal } = this.context.activeLocks;
    using wait = new Wait({ timeoutMs: ms, signal, onTimeout: giveUp, onAbort: giveUp });
    try {
      return await wait.for(find(lease));
    } catch {
      return undefined;
    }
  }

  async #find(
    lease: SessionLease,
    directory: string,
    holdersIn: (queue: readonly QueueNode[]) => readonly QueueNode[],
  ): Promise<FoundHolders> {
    const { session, directories, dialect } = this.context;
    const holding = holdersIn(await directories.queueIn(lease, directory, dialect));
    const first = holding.slice(0, MOST_HOLDERS);
    const found = await readContenders(session, lease, directory, first);
    return { holders: found.map(asHolder), total: holding.length - (first.length - found.length) };
  }
}

/** A single try often finds a holder, and must stay cheap. */
function isWorthALook(error: unknown): error is LockTimeoutError {
  return error instanceof LockTimeoutError && error.timeoutMs !== 0;
}

const NOT_FOUND: FoundHolders = { holders: [], total: 0 };

function together(here: FoundHolders, others = NOT_FOUND): FoundHolders {
  const holders = [...here.holders, ...others.holders].slice(0, MOST_HOLDERS);
  return { ...here, holders, total: here.total + others.total };
}

function tell(error: LockTimeoutError, found: FoundHolders, deadlock?: Deadlock): LockTimeoutError {
  const { holders } = found;
  const heldBy = describeHolders(holders, found);
  if (heldBy === undefined && !deadlock) return error;
  const { key, mode, timeoutMs } = error;
  return new LockTimeoutError(key, mode, timeoutMs, { heldBy, holders, deadlock });
}

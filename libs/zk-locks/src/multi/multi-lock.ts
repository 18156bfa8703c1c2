import {
  type OptionsAndWork,
  optionsAndWork,
  runGuarded,
  runWithLocks,
} from '../grant/async-scope.js';
import type { HeldLock } from '../grant/grant.js';
import { type LockTarget, readTargets } from '../options/call-options.js';
import {
  LinkedSignal,
  membersInJson,
  printAsJson,
  readOptions,
  type Transaction,
} from 'zk-client/recipes';
import { LockAbortedError } from '../lock/lock-errors.js';
import type { AcquireOptions, Lock } from '../lock/lock.js';
import { LockView } from '../lock/lock-view.js';
import { transactUnder } from '../grant/transact.js';
import type { LockRequest, ReadWriteLocks } from '../read-write/read-write-locks.js';

/** Several locks that are granted and released together. Each has its own fencing token. */
export interface MultiLock extends AsyncDisposable {
  /** The locks in the order in which they were taken, each key once. */
  readonly locks: readonly Lock[];
  /**
   * Aborts with the {@link LockLostError} of the first lock that is lost, or with a
   * {@link LockHoldTimeoutError} when the `maxHoldMs` of a section that it joined is over.
   */
  readonly signal: AbortSignal;
  /** Aborts with the {@link LockRevokedError} of the first lock that another process asks for. */
  readonly revoked: AbortSignal;
  /** Whether all locks are held right now. */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when one of them was lost
   * @throws {LockReleasedError} when they were released
   */
  assertHeld(): void;
  /** Like {@link Lock.transact}, while all the locks are held. */
  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]>;
  /** Releases all locks in reverse order. Idempotent, and never rejects. */
  release(): Promise<void>;
}

/** Several locks of one process, all of them granted. */
export class HeldMultiLock implements MultiLock {
  readonly #loss: LinkedSignal;
  readonly #revocation: LinkedSignal;

  constructor(readonly locks: readonly HeldLock[]) {
    this.#loss = new LinkedSignal(locks.map((lock) => lock.signal));
    this.#revocation = new LinkedSignal(locks.map((lock) => lock.revoked));
  }

  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  get revoked(): AbortSignal {
    return this.#revocation.signal;
  }

  get isHeld(): boolean {
    return this.locks.every((lock) => lock.isHeld);
  }

  assertHeld(): void {
    for (const lock of this.locks) lock.assertHeld();
  }

  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]> {
    return transactUnder(this.locks, build);
  }

  async whenCertain(): Promise<void> {
    await Promise.all(this.locks.map((lock) => lock.whenCertain()));
  }

  throwIfLost(): void {
    for (const lock of this.locks) lock.throwIfLost();
  }

  release(): Promise<void> {
    // A part that joined a surrounding lock shares a grant that may be held much longer.
    this.#loss[Symbol.dispose]();
    this.#revocation[Symbol.dispose]();
    return releaseInReverse(this.locks);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  toJSON(): object {
    return membersInJson(this, 'locks', 'isHeld');
  }
}

printAsJson(HeldMultiLock);

/**
 * Takes the locks of several keys, all or none.
 *
 * @throws {ZkLockConfigError} {@link LockKeyError}
 * @throws as {@link takeAll}
 */
export async function acquireAll(
  locks: ReadWriteLocks,
  keys: readonly LockTarget[],
  given: AcquireOptions | null | undefined,
): Promise<HeldMultiLock> {
  return takeAll(requestsFor(locks, keys, given), locks);
}

function requestsFor(
  locks: ReadWriteLocks,
  keys: readonly LockTarget[],
  given: AcquireOptions | null | undefined,
): LockRequest[] {
  const options = readOptions(given);
  return readTargets(keys).map(({ key, mode }) => {
    const request = locks.request(key, { ...options, ...(mode !== undefined && { mode }) });
    return { ...request, kind: 'multi' };
  });
}

/**
 * Runs the work of a call under the locks of several keys; a nested call for one of them joins it.
 * The innermost one is that of the first key.
 *
 * @throws as {@link acquireAll} and {@link runGuarded}
 */
export async function withAll<T>(
  locks: ReadWriteLocks,
  keys: readonly LockTarget[],
  given: OptionsAndWork<AcquireOptions, MultiLock, T>,
): Promise<T> {
  const [options, work] = optionsAndWork(given);
  const requests = requestsFor(locks, keys, options);
  const [first] = requests;
  const multi = await takeAll(requests, locks);
  const isFirst = ({ key }: HeldLock): number => Number(key === first?.key);
  const inward = multi.locks.toSorted((a, b) => isFirst(a) - isFirst(b));
  const scopes = inward.map((lock) => locks.scopeOf(lock, new LockView(lock, multi)));
  return runGuarded(multi, () => runWithLocks(scopes, () => work(multi)));
}

/** All are released at once; ZooKeeper receives the requests in this order. */
async function releaseInReverse(locks: readonly Lock[]): Promise<void> {
  await Promise.all(locks.toReversed().map((lock) => lock.release()));
}

/**
 * Takes the locks one after the other, all or none. If one cannot be taken, those already taken are
 * released in the background. The call stops waiting when a lock that it already holds gets lost.
 *
 * @throws {LockLostError} when one was lost while the call waited for another
 * @throws as {@link ReadWriteLocks.enter}
 */
async function takeAll(
  requests: readonly LockRequest[],
  locks: ReadWriteLocks,
): Promise<HeldMultiLock> {
  const held: HeldLock[] = [];
  // They have the same one: that of the call.
  const [caller] = requests;
  using stop = new LinkedSignal(caller?.signal ? [caller.signal] : []);
  const { signal } = stop;
  try {
    for (const request of inTakingOrder(requests, locks)) {
      const isLaterPart = held.length > 0;
      const lock = await locks.enter({ ...request, isLaterPart, heldBefore: held, signal });
      held.push(lock);
      stop.listenTo(lock.signal);
    }
    for (const lock of held) lock.throwIfLost();
    return new HeldMultiLock(held);
  } catch (error) {
    const lost = error instanceof LockAbortedError && held.find((lock) => lock.signal.aborted);
    void releaseInReverse(held);
    throw lost ? lost.signal.reason : error;
  }
}

/**
 * The order in which all processes take several locks, so that no circle of waits can form: by
 * directory, each once, for writing if any of the requests wants to write. Keys that are held around
 * the call come first: if the call cannot join one of them, it fails at once, and if one is lost, it
 * stops waiting for other locks.
 */
function inTakingOrder(requests: readonly LockRequest[], locks: ReadWriteLocks): LockRequest[] {
  const byDirectory = new Map<string, LockRequest>();
  for (const request of requests) {
    const known = byDirectory.get(request.directory);
    if (!known || known.mode === 'read') byDirectory.set(request.directory, request);
  }
  const waits = (request: LockRequest): number => (locks.enclosing(request) ? 0 : 1);
  // By UTF-16 code units, which are the same in every locale.
  return [...byDirectory.values()].sort(
    (a, b) => waits(a) - waits(b) || (a.directory < b.directory ? -1 : 1),
  );
}

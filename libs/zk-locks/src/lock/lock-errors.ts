import {
  accessRemedy,
  countText,
  type Identity,
  nameIdentity,
  ZkLockError,
} from 'zk-client/recipes';
import { type Deadlock, deadlockRemedy, describeDeadlock } from './deadlock.js';
import { type LockKind, nameLock } from './lock-kind.js';
import type { BreakOptions } from './lock.js';
import { nameProcess } from '../process-name.js';
import type { HolderData } from './holder.js';
import type { Breaker } from '../telemetry/events.js';

/** A holder at the moment the wait timed out. */
export interface LockHolder {
  /** The name of its znode. Calls of one process can share a znode. */
  readonly node: string;
  /**
   * When ZooKeeper created its znode, by the server's clock; it can have waited since then. For a call of
   * this process that shares its znode, when it got the lock, by the clock of this process.
   */
  readonly since: Date;
  /** What its znode says about its process; undefined for other libraries. */
  readonly holder: HolderData | undefined;
}

interface TimeoutDetails extends ErrorOptions {
  readonly holders?: readonly LockHolder[] | undefined;
  /** As a sentence. */
  readonly heldBy?: string | undefined;
  readonly deadlock?: Deadlock | undefined;
}

/** The lock was busy for the whole of `timeoutMs`. Nothing is left behind in ZooKeeper. */
export class LockTimeoutError extends ZkLockError {
  static readonly code = 'LOCK_TIMEOUT';
  readonly code = LockTimeoutError.code;
  /**
   * The holders when the time was over, at most ten. Empty if they could not be read at once, and after a
   * single try.
   */
  readonly holders: readonly LockHolder[];
  /**
   * The circle of waiting calls that this one was part of, itself first. Undefined if none was found, and
   * for a call outside of all locks.
   */
  readonly deadlock: Deadlock | undefined;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    readonly timeoutMs: number,
    { holders = [], heldBy, deadlock, ...options }: TimeoutDetails = {},
  ) {
    const state = mode === 'permit' ? 'did not have enough permits free' : 'was not free';
    const [cause, remedy] =
      deadlock === undefined
        ? ['', `Try again later, or ${timeoutMs === 0 ? 'give a' : 'raise'} \`timeoutMs\`.`]
        : [`; ${describeDeadlock(deadlock)}`, deadlockRemedy(deadlock)];
    super(
      `The ${nameLock(mode, key)} ${state}${timeoutMs === 0 ? '' : ` within ${timeoutMs} ms`}${cause}. ${remedy}${heldBy === undefined ? '' : ` ${heldBy}`}`,
      options,
    );
    this.holders = holders;
    this.deadlock = deadlock;
  }
}

/** As many calls of this process wait as `maxWaiting` allows. The call was refused without a request. */
export class LockQueueFullError extends ZkLockError {
  static readonly code = 'LOCK_QUEUE_FULL';
  readonly code = LockQueueFullError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    /** The limit that was reached. */
    readonly option: 'maxWaiting.perKey' | 'maxWaiting.total',
    readonly limit: number,
  ) {
    const where = option === 'maxWaiting.perKey' ? 'for this key' : 'for locks and permits';
    super(
      `The ${nameLock(mode, key)} was refused: ${countText(limit, 'call')} of this process ${limit === 1 ? 'is' : 'are'} already waiting ${where}. Try again later, let callers wait for a shorter time, or raise \`${option}\`.`,
    );
  }
}

/** The caller's `AbortSignal` ended the wait. `cause` is the signal's reason. */
export class LockAbortedError extends ZkLockError {
  static readonly code = 'LOCK_ABORTED';
  readonly code = LockAbortedError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    reason: unknown,
  ) {
    super(`Waiting for the ${nameLock(mode, key)} was aborted by the caller's signal.`, {
      cause: reason,
    });
  }
}

/** Why a lock was lost. */
export type LockLossReason =
  /** The session could not be proved alive in time. ZooKeeper can end it from now on. */
  | 'lease-expired'
  /**
   * The session could not be proved alive, and can end in `marginMs`. ZooKeeper keeps the lock for this
   * process until it is released, or the session ends.
   */
  | 'margin-reached'
  /** ZooKeeper ended the session. */
  | 'session-expired'
  /** A reconnect was granted a session timeout too short for the servers' tick, or for `marginMs`. */
  | 'session-too-short'
  /** An operator took the lock by `breakLock`; `brokenBy` says who. */
  | 'broken'
  /** The holder's znode was deleted while its session lives, by an operator or another program. */
  | 'node-deleted'
  /** ZooKeeper refuses to show the holder its own znode, for example because of an ACL. */
  | 'node-unreadable'
  /** The service was closed while the lock was held. */
  | 'service-closed';

const LOSS: Record<LockLossReason, string> = {
  'lease-expired': 'ZooKeeper has not confirmed the session in time, so it may be over',
  'margin-reached': 'ZooKeeper has not confirmed the session, which may be over after `marginMs`',
  'session-expired': 'ZooKeeper has ended the session',
  'session-too-short':
    'a server granted the session a timeout too short for `tickTimeMs` and `marginMs`',
  broken: 'its znode was deleted by `breakLock`',
  'node-deleted': 'its znode was deleted by an operator or another program',
  'node-unreadable': 'ZooKeeper refuses to show its znode, whose deletion would not be noticed',
  'service-closed': 'the lock service was closed before it was released',
};

/**
 * A process asked for the lock by `revoke()`. The lock is still held: this error is only the reason with
 * which `lock.revoked` aborts. No call rejects with it, unless the guarded work throws it.
 */
export class LockRevokedError extends ZkLockError {
  static readonly code = 'LOCK_REVOKED';
  readonly code = LockRevokedError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
  ) {
    super(
      `Another call asks for the ${nameLock(mode, key)}. Finish or stop the guarded work, and release it.`,
    );
  }
}

/** The lock was lost while it was held: another process can hold it from now on. */
export class LockLostError extends ZkLockError {
  static readonly code = 'LOCK_LOST';
  readonly code = LockLostError.code;
  /** The process that took it, if the reason is `broken`. */
  readonly brokenBy: Breaker | undefined;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    readonly reason: LockLossReason,
    options: ErrorOptions & { brokenBy?: Breaker | undefined } = {},
  ) {
    const { cause } = options;
    const brokenBy =
      options.brokenBy ?? (cause instanceof LockLostError ? cause.brokenBy : undefined);
    super(
      `${mode === 'permit' ? 'A permit of the' : 'The'} ${nameLock(mode, key)} was lost: ${LOSS[reason]}${byWhom(brokenBy)}. Stop the guarded work and undo or fence what it wrote.`,
      options,
    );
    this.brokenBy = brokenBy;
  }
}

function byWhom(breaker: Breaker | undefined): string {
  return breaker ? ` by ${nameProcess(breaker)}` : '';
}

/** `breakLock` deleted nothing. The message says why, and who holds the lock now. */
export class LockNotBrokenError extends ZkLockError {
  static readonly code = 'LOCK_NOT_BROKEN';
  readonly code = LockNotBrokenError.code;
  readonly node: string;
  readonly token: bigint;

  constructor(
    readonly key: string,
    { node, token }: Pick<BreakOptions, 'node' | 'token'>,
    problem: string,
    /** The present holders, at most ten. */
    readonly holders: readonly LockHolder[],
    heldBy = 'No process holds it now.',
  ) {
    super(`The lock "${key}" was not broken: ${problem} ${heldBy}`);
    this.node = node;
    this.token = token;
  }
}

/** The guarded work took longer than `maxHoldMs` and stopped at its signal. It held the lock until then. */
export class LockHoldTimeoutError extends ZkLockError {
  static readonly code = 'LOCK_HOLD_TIMEOUT';
  readonly code = LockHoldTimeoutError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    readonly maxHoldMs: number,
  ) {
    super(
      `The ${nameLock(mode, key)} was held for more than ${maxHoldMs} ms. Make the guarded work shorter, or raise \`maxHoldMs\`.`,
    );
  }
}

/** `assertHeld()` or `upgrade()` was called on a lock that its own process had released. */
export class LockReleasedError extends ZkLockError {
  static readonly code = 'LOCK_RELEASED';
  readonly code = LockReleasedError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
  ) {
    super(
      `${mode === 'permit' ? 'This permit of the' : 'The'} ${nameLock(mode, key)} was already released. Keep the guarded work inside the section that holds it.`,
    );
  }
}

/**
 * The connection was lost before the answer to `transact`. ZooKeeper executed the transaction, or did not,
 * or will while the lock's node exists.
 */
export class LockTransactionUnknownError extends ZkLockError {
  static readonly code = 'LOCK_TRANSACTION_UNKNOWN';
  readonly code = LockTransactionUnknownError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    options?: ErrorOptions,
  ) {
    super(
      `It is not known whether the transaction under the ${nameLock(mode, key)} was executed. Release the lock, take it again and read the znodes: by then it has been executed, or never will be.`,
      options,
    );
  }
}

/** The current lock was asked for where none is held. */
export class NoCurrentLockError extends ZkLockError {
  static readonly code = 'LOCK_NOT_CURRENT';
  readonly code = NoCurrentLockError.code;

  constructor(key?: string) {
    super(
      `No lock ${key === undefined ? '' : `"${key}" `}is held by the calling code. Call it inside a @Locked() method or a withLock() callback, and not in work they leave behind.`,
    );
  }
}

/** The current permit was asked for where none is held. */
export class NoCurrentPermitError extends ZkLockError {
  static readonly code = 'PERMIT_NOT_CURRENT';
  readonly code = NoCurrentPermitError.code;

  constructor() {
    super(
      'No permit is held by the calling code. Call it inside a @WithPermit() method or a withPermit() callback, and not in work they leave behind.',
    );
  }
}

/** A call for the leader was made in a process that does not lead at present. */
export class NotLeaderError extends ZkLockError {
  static readonly code = 'NOT_LEADER';
  readonly code = NotLeaderError.code;

  constructor(readonly key: string) {
    super(
      `This process does not lead "${key}" at present. Leave the work to the one that does (an @OnlyLeader() method skips the call with \`onFollower: 'skip'\`), or wait with \`election(…).whenLeader()\`.`,
    );
  }
}

/** The election was left by `close()`. */
export class ElectionClosedError extends ZkLockError {
  static readonly code = 'ELECTION_CLOSED';
  readonly code = ElectionClosedError.code;

  constructor(readonly key: string) {
    super(
      `The election "${key}" was left by close(). Call \`election(…)\` again to take part again.`,
    );
  }
}

/**
 * A write lock inside a read lock of the same key, or an upgradable lock inside any lock of the same key:
 * it would wait for itself.
 */
export class LockUpgradeError extends ZkLockError {
  static readonly code = 'LOCK_UPGRADE';
  readonly code = LockUpgradeError.code;

  constructor(
    readonly key: string,
    wanted: 'write' | 'upgradable' = 'write',
  ) {
    super(
      wanted === 'write'
        ? `A read lock on "${key}" cannot become a write lock: it would wait for itself. Release it first, take the write lock from the start, or begin with an upgradable lock and call its \`upgrade()\`.`
        : `An upgradable lock on "${key}" cannot be taken inside another lock of the same key: it would wait for itself. Take it from the start.`,
    );
  }
}

/** A key that cannot name a lock: empty, too long, or a template that was not filled in. */
export class LockKeyError extends ZkLockError {
  static readonly code = 'LOCK_KEY_INVALID';
  readonly code = LockKeyError.code;
}

/**
 * The lock directory has znodes that this library cannot order: of another dialect or program, or from the
 * end of the directory's sequence counter. The message says which.
 */
export class LockDirectoryError extends ZkLockError {
  static readonly code = 'LOCK_DIRECTORY_FOREIGN';
  readonly code = LockDirectoryError.code;
}

/** The znode of a semaphore's shared count does not hold a count. */
export class SharedCountError extends ZkLockError {
  static readonly code = 'SHARED_COUNT_MALFORMED';
  readonly code = SharedCountError.code;

  constructor(
    /** The path of the znode, with the chroot. */
    readonly path: string,
    problem: string,
  ) {
    super(
      `${path} does not hold a shared count: ${problem}. Name the znode of a count, or write one by \`setPermits()\`.`,
    );
  }
}

/** ZooKeeper's ACLs do not permit this client to use the lock directory. */
export class LockAccessError extends ZkLockError {
  static readonly code = 'LOCK_ACCESS_DENIED';
  readonly code = LockAccessError.code;

  /** The user of `credentials`; undefined without. */
  readonly username: Identity['username'];
  /** How ZooKeeper knows that user, or `x509` for a client with a certificate alone. */
  readonly scheme: Identity['scheme'];

  constructor(
    /** The node, with the chroot. */
    readonly path: string,
    { username, scheme, ...options }: ErrorOptions & Identity = {},
  ) {
    const identity = { username, scheme };
    super(
      `ZooKeeper refused access to ${path} to ${nameIdentity(identity)}. ${accessRemedy(identity)}`,
      options,
    );
    this.username = username;
    this.scheme = scheme;
  }
}

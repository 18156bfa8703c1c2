import {
  accessRemedy,
  countText,
  type Identity,
  nameIdentity,
  printBriefly,
  ZkLockError,
} from 'zk-client/recipes';
import { type Deadlock, deadlockRemedy, describeDeadlock } from './deadlock.js';
import { type LockKind, nameLock } from './lock-kind.js';
import type { BreakOptions } from './lock.js';
import { nameProcess } from '../process-name.js';
import type { Breaker, HolderData } from './holder.js';

/** A holder at the moment the wait timed out. */
export interface LockHolder {
  /** The name of its znode. Several calls of one process can share a znode. */
  readonly node: string;
  /**
   * When ZooKeeper created the znode, by the server's clock; the holder may have waited since then.
   * For a call of this process that shares its znode, the time when it got the lock, by this
   * process's clock.
   */
  readonly since: Date;
  /** What its znode says about its process; undefined for other libraries. */
  readonly holder: HolderData | undefined;
}

interface TimeoutDetails extends ErrorOptions {
  readonly holders?: readonly LockHolder[] | undefined;
  /** The holders as a sentence. */
  readonly heldBy?: string | undefined;
  readonly deadlock?: Deadlock | undefined;
}

/** The lock was still busy after `timeoutMs`. Nothing is left behind in ZooKeeper. */
export class LockTimeoutError extends ZkLockError {
  static readonly code = 'LOCK_TIMEOUT';
  readonly code = LockTimeoutError.code;
  /**
   * The holders when the time ran out, at most ten. Empty if they could not be read quickly, and
   * after a single try.
   */
  readonly holders: readonly LockHolder[];
  /**
   * The circle of waiting calls that this call was part of, starting with itself. Undefined if none
   * was found, and for a call outside of all locks.
   */
  readonly deadlock: Deadlock | undefined;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    readonly timeoutMs: number,
    { holders = [], heldBy, deadlock, ...options }: TimeoutDetails = {},
  ) {
    const [still, time] = timeoutMs === 0 ? ['', ''] : ['still ', ` after ${timeoutMs} ms`];
    const state = mode === 'permit' ? `${still}had too few free permits` : `was ${still}busy`;
    const [cause, remedy] =
      deadlock === undefined
        ? ['', `Try again later, or ${timeoutMs === 0 ? 'give a' : 'raise'} \`timeoutMs\`.`]
        : [`; ${describeDeadlock(deadlock)}`, deadlockRemedy(deadlock)];
    super(
      `The ${nameLock(mode, key)} ${state}${time}${cause}. ${remedy}${heldBy === undefined ? '' : ` ${heldBy}`}`,
      options,
    );
    this.holders = holders;
    this.deadlock = deadlock;
  }
}

printBriefly(LockTimeoutError);

/**
 * `maxWaiting` calls of this process were already waiting. The call was refused without a request.
 */
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
      `The ${nameLock(mode, key)} was refused: ${countText(limit, 'call')} in this process ${limit === 1 ? 'is' : 'are'} already waiting ${where}. Try again later, shorten the callers' waits, or raise \`${option}\`.`,
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
  /** The session could not be confirmed in time. ZooKeeper may end it at any moment from now on. */
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
  'lease-expired': 'ZooKeeper did not confirm the session in time, so the session may have ended',
  'margin-reached':
    'ZooKeeper did not confirm the session in time, so the session may end once `marginMs` has passed',
  'session-expired': 'ZooKeeper has ended the session',
  'session-too-short':
    'a server granted the session a timeout too short for `tickTimeMs` and `marginMs`',
  broken: 'it was taken away with `breakLock`',
  'node-deleted': 'its znode was deleted by an operator or another program',
  'node-unreadable': 'ZooKeeper denies access to its znode, so its deletion would go unnoticed',
  'service-closed': 'the lock service was closed before it was released',
};

/**
 * A process asked for the lock with `revoke()`. The lock is still held: this error is only the
 * reason with which `lock.revoked` aborts. No call rejects with it unless the guarded work throws
 * it.
 */
export class LockRevokedError extends ZkLockError {
  static readonly code = 'LOCK_REVOKED';
  readonly code = LockRevokedError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
  ) {
    super(
      `Another process has asked for the ${nameLock(mode, key)}. Finish or stop the guarded work, and release it.`,
    );
  }
}

/**
 * The lock was lost while it was held: from now on, another process can hold it (`margin-reached`: once
 * it is released, or the session ends).
 */
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
      `${mode === 'permit' ? 'A permit of the' : 'The'} ${nameLock(mode, key)} was lost: ${LOSS[reason]}${byWhom(brokenBy)}. Stop the guarded work, and undo or fence its writes.`,
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
    /** The current holders, at most ten. */
    readonly holders: readonly LockHolder[],
    heldBy = 'No process holds it now.',
  ) {
    super(`The lock "${key}" was not broken: ${problem} ${heldBy}`);
    this.node = node;
    this.token = token;
  }
}

/**
 * The guarded work ran longer than `maxHoldMs` and stopped when its signal aborted. It held the
 * lock until then.
 */
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

/** `assertHeld()`, `transact()` or `upgrade()` was called on a lock that its own process has released. */
export class LockReleasedError extends ZkLockError {
  static readonly code = 'LOCK_RELEASED';
  readonly code = LockReleasedError.code;

  constructor(
    readonly key: string,
    readonly mode: LockKind,
    text = `${mode === 'permit' ? 'This permit of the' : 'The'} ${nameLock(mode, key)} was already released. Keep the guarded work inside the section that holds it.`,
  ) {
    super(text);
  }
}

/**
 * The connection was lost before the answer to `transact` arrived. ZooKeeper may have executed the
 * transaction, or may still execute it as long as the lock's node exists.
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
      `It is unknown whether the transaction under the ${nameLock(mode, key)} was executed. Release the lock, acquire it again and read the znodes: by then, the transaction has either been executed or never will be.`,
      options,
    );
  }
}

/** Code that holds no lock asked for the current lock. */
export class NoCurrentLockError extends ZkLockError {
  static readonly code = 'LOCK_NOT_CURRENT';
  readonly code = NoCurrentLockError.code;

  constructor(key?: string) {
    super(
      `The calling code holds no lock${key === undefined ? '' : ` "${key}"`}. Call currentLock() inside a @Locked() method or a withLock() callback, not in work that continues after it.`,
    );
  }
}

/** Code that holds no permit asked for the current permit. */
export class NoCurrentPermitError extends ZkLockError {
  static readonly code = 'PERMIT_NOT_CURRENT';
  readonly code = NoCurrentPermitError.code;

  constructor() {
    super(
      'The calling code holds no permit. Call currentPermit() inside a @WithPermit() method or a withPermit() callback, not in work that continues after it.',
    );
  }
}

/** Work for the leader was called in a process that does not lead at the moment. */
export class NotLeaderError extends ZkLockError {
  static readonly code = 'NOT_LEADER';
  readonly code = NotLeaderError.code;

  /** @param isConnected without a connection to ZooKeeper, no process knows that it leads */
  constructor(
    readonly key: string,
    isConnected = true,
  ) {
    super(
      `This process does not lead "${key}" at the moment${isConnected ? '' : ', because it has no connection to ZooKeeper'}. Leave the work to the leader (with \`onFollower: 'skip'\`, an @OnlyLeader() method skips the call), or wait with \`election(…).whenLeader()\`.`,
    );
  }
}

/** This process left the election with `close()`. */
export class ElectionClosedError extends ZkLockError {
  static readonly code = 'ELECTION_CLOSED';
  readonly code = ElectionClosedError.code;

  constructor(readonly key: string) {
    super(
      `This process left the election "${key}" with close(). Call \`election(…)\` to take part again.`,
    );
  }
}

/**
 * A write lock was requested inside a read lock of the same key, or an upgradable lock inside any
 * lock of the same key: the call would wait for itself.
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
        ? `A read lock on "${key}" cannot become a write lock: the call would wait for itself. Release the read lock first, take the write lock from the start, or start with an upgradable lock and call its \`upgrade()\`.`
        : `An upgradable lock on "${key}" cannot be taken inside another lock of the same key: the call would wait for itself. Take the upgradable lock from the start.`,
    );
  }
}

/** A key that cannot name a lock: empty, too long, or a template that was not filled in. */
export class LockKeyError extends ZkLockError {
  static readonly code = 'LOCK_KEY_INVALID';
  readonly code = LockKeyError.code;
}

/**
 * The lock directory contains znodes that this library cannot order: those of another dialect or
 * program, or from the end of the directory's sequence counter. The message says which.
 */
export class LockDirectoryError extends ZkLockError {
  static readonly code = 'LOCK_DIRECTORY_FOREIGN';
  readonly code = LockDirectoryError.code;
}

/** The znode of a semaphore's shared count does not contain a count. */
export class SharedCountError extends ZkLockError {
  static readonly code = 'SHARED_COUNT_MALFORMED';
  readonly code = SharedCountError.code;

  constructor(
    /** The path of the znode, with the chroot. */
    readonly path: string,
    problem: string,
  ) {
    super(
      `${path} does not hold a shared count: ${problem}. Pass the path of a shared count, or write one with \`setPermits()\`.`,
    );
  }
}

/** ZooKeeper's ACLs do not allow this client to use the lock directory. */
export class LockAccessError extends ZkLockError {
  static readonly code = 'LOCK_ACCESS_DENIED';
  readonly code = LockAccessError.code;

  /** The user of `credentials`; undefined without credentials. */
  readonly username: Identity['username'];
  /** How ZooKeeper identifies that user; `x509` for a client with only a certificate. */
  readonly scheme: Identity['scheme'];

  constructor(
    /** The path of the node, with the chroot. */
    readonly path: string,
    { username, scheme, ...options }: ErrorOptions & Identity = {},
  ) {
    const identity = { username, scheme };
    super(
      `ZooKeeper refused access to ${path} for ${nameIdentity(identity)}. ${accessRemedy(identity)}`,
      options,
    );
    this.username = username;
    this.scheme = scheme;
  }
}

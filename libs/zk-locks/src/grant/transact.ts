import {
  isAmbiguous,
  type Operation,
  OperationRefusedError,
  readTransaction,
  ReturnCode,
  type Session,
  type SessionLease,
  type Transaction,
  tryAgain,
  type UserPaths,
  ZooKeeperError,
} from 'zk-client/recipes';
import type { LockKind } from '../lock/lock-kind.js';
import { type LockLossReason, LockTransactionUnknownError } from '../lock/lock-errors.js';

/** The nodes in ZooKeeper by which a lock is held. */
export interface GrantedNodes {
  readonly context: { readonly session: Session; readonly userPaths: UserPaths };
  readonly lease: SessionLease;
  /** All of them exist as long as the lock is held. */
  readonly nodePaths: readonly string[];
  /** The number of transactions without an answer, which may still be executed. */
  openTransactions: number;
  /**
   * Resolves when the clock can tell whether the lock is held: immediately, except after a jump.
   */
  whenCertain(): Promise<void>;
  lose(reason: LockLossReason): void;
}

/** The part of a lock that transactions under it need. */
export interface GuardingLock {
  readonly key: string;
  readonly mode: LockKind;
  readonly grant: { readonly nodes: GrantedNodes };
  throwIfOver(): void;
  throwIfLost(): void;
}

/** @throws as {@link Lock.transact} */
export async function transactUnder(
  locks: readonly GuardingLock[],
  build: (tx: Transaction) => unknown,
): Promise<readonly string[]> {
  const { userPaths } = firstOf(locks).grant.nodes.context;
  return userPaths.toUser(await executeUnder(locks, readTransaction(build, userPaths)));
}

/**
 * Executes a transaction that also checks every node of the locks, so that it takes effect only
 * while all of them are held, by ZooKeeper's own order. It is sent once, in a request of its own.
 *
 * A check proves a node, not a grant. Therefore, a node with an open transaction serves no further
 * grant, and counts as gone only when its deletion has been answered.
 *
 * @throws as {@link Lock.transact}
 */
export function executeUnder(
  locks: readonly GuardingLock[],
  operations: readonly Operation[],
): Promise<readonly string[]> {
  return tryAgain(
    () => executeOnce(locks, operations),
    (error) => error instanceof ZooKeeperError && error.outcome === 'not-sent',
  );
}

async function executeOnce(
  locks: readonly GuardingLock[],
  operations: readonly Operation[],
): Promise<readonly string[]> {
  const { key, mode, grant } = firstOf(locks);
  const { session } = grant.nodes.context;
  throwIfAnyIsOver(locks);
  await session.whenReconnected(grant.nodes.lease);
  // Checked in the turn in which it is sent: if the lock has been released since, its node may now
  // serve the next call.
  throwIfAnyIsOver(locks);
  const checks = checksOf(locks);
  try {
    return (await send(grant.nodes, checks, operations)).slice(checks.length);
  } catch (error) {
    if (isAmbiguous(error)) throw new LockTransactionUnknownError(key, mode, { cause: error });
    if (error instanceof OperationRefusedError) loseWhatIsGone(checks, error);
    // A session that has ended has lost its locks.
    throwIfAnyIsOver(locks);
    throw error;
  }
}

function firstOf(locks: readonly GuardingLock[]): GuardingLock {
  const [first] = locks;
  if (!first) throw new TypeError('There is no lock to write under.');
  return first;
}

interface Check {
  readonly lock: GuardingLock;
  readonly nodes: GrantedNodes;
  readonly path: string;
}

/** The clock need not tell whether the locks are held: the checks in the transaction do. */
function throwIfAnyIsOver(locks: readonly GuardingLock[]): void {
  for (const lock of locks) lock.throwIfOver();
}

function checksOf(locks: readonly GuardingLock[]): readonly Check[] {
  return locks.flatMap((lock) => {
    const { nodes } = lock.grant;
    return nodes.nodePaths.map((path) => ({ lock, nodes, path }));
  });
}

/**
 * Sends a transaction, which stays open if its answer is lost.
 *
 * @throws {OperationRefusedError} {@link ZooKeeperError}
 */
async function send(
  { context, lease }: GrantedNodes,
  checks: readonly Check[],
  operations: readonly Operation[],
): Promise<readonly string[]> {
  const held = new Set(checks.map(({ nodes }) => nodes));
  for (const nodes of held) nodes.openTransactions++;
  let isOpen = false;
  try {
    const checking = checks.map(({ path }): Operation => ({ type: 'check', path }));
    // A busy server may have it sent again later.
    const throwIfOver = (): void => throwIfAnyIsOver(checks.map(({ lock }) => lock));
    return await context.session.transact(lease, [...checking, ...operations], { throwIfOver });
  } catch (error) {
    isOpen = isAmbiguous(error);
    throw error;
  } finally {
    if (!isOpen) for (const nodes of held) nodes.openTransactions--;
  }
}

/**
 * ZooKeeper refused either the check of a lock's node, or an operation of the caller's.
 *
 * @throws {LockLostError} {@link OperationRefusedError}
 * @throws {ZooKeeperError} (`outcome: 'not-sent'`) if the check was out of date
 */
function loseWhatIsGone(checks: readonly Check[], refused: OperationRefusedError): void {
  const { returnCode, request, path, index } = refused;
  const failed = checks[index];
  if (!failed) throw new OperationRefusedError(returnCode, request, path, index - checks.length);
  // While a busy server postponed it, the node was replaced by another one of the same lock: it may as
  // well not have been sent.
  if (!failed.nodes.nodePaths.includes(failed.path)) {
    throw new ZooKeeperError(ReturnCode.invalidState, request, path);
  }
  const isHidden = returnCode === ReturnCode.noAuth;
  failed.nodes.lose(isHidden ? 'node-unreadable' : 'node-deleted');
  failed.lock.throwIfLost();
}

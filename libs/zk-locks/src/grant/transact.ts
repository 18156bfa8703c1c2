import { isConnectionError, OperationRefusedError } from '../client/client-errors.js';
import type { Operation } from '../client/zookeeper-client.js';
import {
  type GuardKind,
  type LockLossReason,
  LockTransactionUnknownError,
} from '../lock-errors.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { readTransaction, type UserPaths } from '../options/transaction-options.js';
import type { Transaction } from '../transaction.js';

/** What stands in ZooKeeper for a lock. */
export interface Standing {
  readonly context: { readonly session: Session; readonly userPaths: UserPaths };
  readonly lease: SessionLease;
  /** All of them exist for as long as it is held. */
  readonly nodePaths: readonly string[];
  /** So many transactions have no answer, and may still be executed. */
  openTransactions: number;
  lose(reason: LockLossReason): void;
}

/** As much of a lock as writing under it needs. */
export interface GuardingLock {
  readonly key: string;
  readonly mode: GuardKind;
  readonly grant: { readonly standing: Standing };
  whenCertain(): Promise<void>;
  assertHeld(): void;
  throwIfLost(): void;
}

/** @throws as {@link Lock.transact} */
export async function transactUnder(
  locks: readonly GuardingLock[],
  build: (tx: Transaction) => unknown,
): Promise<readonly string[]> {
  const [first] = locks;
  if (!first) throw new TypeError('There is no lock to write under.');
  const { userPaths } = first.grant.standing.context;
  return userPaths.toUser(await executeUnder(locks, first, readTransaction(build, userPaths)));
}

/**
 * Executes a transaction with a check of every node that the locks stand under, so that it is done
 * only while all of them are held, by ZooKeeper's own order. It is sent once, by itself.
 *
 * A check proves a node, not a grant. So a node with an open transaction serves no further grant, and
 * counts as gone only when its deletion was answered.
 *
 * @param first one of the locks, for errors
 * @throws as {@link Lock.transact}
 */
export async function executeUnder(
  locks: readonly GuardingLock[],
  first: GuardingLock,
  operations: readonly Operation[],
): Promise<readonly string[]> {
  const { standing } = first.grant;
  const { lease, context } = standing;
  const { session } = context;
  for (;;) {
    await assertHeld(locks);
    if (await session.whenReconnected(lease)) await assertHeld(locks);
    const checks = checksOf(locks);
    const { isOpen, paths, error } = await send(standing, checks, operations);
    if (paths) return paths.slice(checks.length);
    if (isOpen) throw new LockTransactionUnknownError(first.key, first.mode, { cause: error });
    const isUnsent = isConnectionError(error) && error.outcome === 'not-sent';
    if (!(error instanceof OperationRefusedError)) {
      // A session that has ended has lost the locks.
      await assertHeld(locks);
      if (isUnsent) continue;
      throw error;
    }
    const { returnCode, request, path, index } = error;
    const failed = checks[index];
    if (!failed) throw new OperationRefusedError(returnCode, request, path, index - checks.length);
    failed.standing.lose('node-deleted');
    failed.lock.throwIfLost();
  }
}

interface Check {
  readonly lock: GuardingLock;
  readonly standing: Standing;
  readonly path: string;
}

async function assertHeld(locks: readonly GuardingLock[]): Promise<void> {
  for (const lock of locks) await lock.whenCertain();
  for (const lock of locks) lock.assertHeld();
}

function checksOf(locks: readonly GuardingLock[]): readonly Check[] {
  return locks.flatMap((lock) => {
    const { standing } = lock.grant;
    return standing.nodePaths.map((path) => ({ lock, standing, path }));
  });
}

/** Sends a transaction, which stays open where its answer is lost. */
async function send(
  { context, lease }: Standing,
  checks: readonly Check[],
  operations: readonly Operation[],
): Promise<{ paths?: readonly string[]; error?: unknown; isOpen?: boolean }> {
  const standings = new Set(checks.map(({ standing }) => standing));
  for (const standing of standings) standing.openTransactions++;
  const checking = checks.map(({ path }): Operation => ({ type: 'check', path }));
  try {
    const paths = await context.session.transact(lease, [...checking, ...operations]);
    for (const standing of standings) standing.openTransactions--;
    return { paths };
  } catch (error) {
    const isOpen = isConnectionError(error) && error.outcome === 'ambiguous';
    if (!isOpen) for (const standing of standings) standing.openTransactions--;
    return { error, isOpen };
  }
}

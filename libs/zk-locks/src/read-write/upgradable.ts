import { enclosingLock } from '../grant/async-scope.js';
import type { AcquireUpgradableOptions } from '../lock/lock.js';
import { LockUpgradeError } from '../lock/lock-errors.js';
import { readAcquireUpgradableOptions } from '../options/call-options.js';
import type { NodeGrant } from '../grant/node-grant.js';
import { HeldUpgradableLock } from './held-upgradable-lock.js';
import {
  type ReadWriteLocks,
  type LockRequest,
  readWriteNode,
  takeLock,
} from './read-write-locks.js';
import { intentDirectoryOf } from '../lock/key-path.js';
import type { LocksContext } from '../grant/locks-context.js';
import { acquire } from '../queue/contender.js';
import { explainRefusal } from '../queue/wait.js';
import type { OwnNode } from '../queue/own-node.js';
import { SessionOverError, type Wait } from 'zk-client/recipes';

/**
 * Waits for a read lock that can become a write lock.
 *
 * @throws as {@link ReadWriteLocks.acquire}
 * @throws {LockUpgradeError} inside any lock of the same key
 * @throws {ZkLockConfigError} in a dialect without upgradable locks
 */
export async function acquireUpgradable(
  locks: ReadWriteLocks,
  key: string,
  given: AcquireUpgradableOptions | null | undefined,
): Promise<HeldUpgradableLock> {
  const options = readAcquireUpgradableOptions(given, locks.context.dialect);
  const request = locks.nest({
    ...locks.request(key, { ...options, mode: 'read' }),
    kind: 'upgradable',
  } as const);
  const { directory } = request;
  if (enclosingLock(locks, directory)) throw new LockUpgradeError(key, 'upgradable');
  const taking = locks.take(request, undefined, takeUpgradable);
  return locks.holderReport.watch(
    request,
    taking,
    (grant) => new HeldUpgradableLock(grant, request, locks),
  );
}

/**
 * Takes a read lock that can become a write lock.
 *
 * Two readers that both wanted to write would wait for each other, so they take turns: each first
 * takes an exclusive lock, its intent, in a directory beside that of the key. No other contender looks there:
 * readers and writers, Curator's as well, see a plain reader.
 *
 * @throws as {@link takeLock}
 */
async function takeUpgradable(
  request: LockRequest,
  wait: Wait,
  context: LocksContext,
): Promise<NodeGrant> {
  const { remover } = context;
  const directory = intentDirectoryOf(request.directory);
  const claim = (own: OwnNode): Promise<OwnNode> => {
    // Watched from now on, beside the requests for the lock; whether it is kept is asked after them.
    own.read().catch(() => undefined);
    return Promise.resolve(own);
  };
  const node = readWriteNode({ ...request, mode: 'write', directory }, context);
  for (;;) {
    const intent = await acquire({ ...node, claim }, request, wait, context);
    let grant: NodeGrant | undefined;
    let isKept = false;
    try {
      const taken = (grant = await takeLock(request, wait, context));
      isKept = await explainRefusal(context.session, directory, () =>
        keepsIntent(taken, intent, wait),
      );
      if (isKept) return taken;
      // The session, or an operator, has ended the intent: the next contender may have it.
    } finally {
      if (!isKept) {
        intent.abandon();
        void grant?.release();
        void remover.remove(intent.lease, intent.path);
      }
    }
  }
}

async function keepsIntent(grant: NodeGrant, intent: OwnNode, wait: Wait): Promise<boolean> {
  try {
    const isKept =
      grant.lease === intent.lease && (await wait.for(grant.add(intent))) !== undefined;
    wait.throwIfOver();
    return isKept;
  } catch (error) {
    if (error instanceof SessionOverError) return false;
    throw error;
  }
}

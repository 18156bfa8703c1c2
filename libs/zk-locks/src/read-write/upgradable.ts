import { LinkedSignal, newSharedController, SessionOverError, type Wait } from 'zk-client/recipes';
import { enclosingLock, type OptionsAndWork, optionsAndWork } from '../grant/async-scope.js';
import { HeldLock } from '../grant/grant.js';
import type { LocksContext } from '../grant/locks-context.js';
import type { NodeGrant } from '../grant/node-grant.js';
import type { LookAhead } from '../inspection/holder-report.js';
import { intentDirectoryOf } from '../lock/key-path.js';
import { LockLostError, LockReleasedError, LockUpgradeError } from '../lock/lock-errors.js';
import type {
  AcquireUpgradableOptions,
  Lock,
  UpgradableLock,
  UpgradeOptions,
} from '../lock/lock.js';
import { readAcquireUpgradableOptions, readUpgradeOptions } from '../options/call-options.js';
import { acquire } from '../queue/contender.js';
import type { OwnNode } from '../queue/own-node.js';
import { explainRefusal } from '../queue/wait.js';
import {
  type LockRequest,
  type ReadWriteLocks,
  readWriteNode,
  takeLock,
} from './read-write-locks.js';
import { upgrade } from './upgrade.js';

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
): Promise<UpgradableLock & HeldLock> {
  const options = readAcquireUpgradableOptions(given, locks.context.dialect);
  const request = locks.nest({
    ...locks.request(key, { ...options, mode: 'read' }),
    kind: 'upgradable',
  } as const);
  const { directory } = request;
  if (enclosingLock(locks, directory)) throw new LockUpgradeError(key, 'upgradable');
  const grant = await locks.explained(request, (explained) =>
    locks.take(explained, takeUpgradable),
  );
  return new HeldUpgradableLock(grant, request, locks);
}

/** @throws as {@link acquireUpgradable} and {@link runGuarded} */
export async function withUpgradable<T>(
  locks: ReadWriteLocks,
  key: string,
  given: OptionsAndWork<AcquireUpgradableOptions, UpgradableLock, T>,
): Promise<T> {
  const [options, work] = optionsAndWork(given);
  return locks.runUnder(await acquireUpgradable(locks, key, options), work);
}

/**
 * Takes a read lock that can become a write lock.
 *
 * Two readers that both wanted to write would wait for each other, so they take turns: each first
 * takes an exclusive lock, its intent, in a directory beside the key's own. No other contender
 * looks there; other readers and writers, including Curator's, see a plain reader.
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
    // Watched from now on, in parallel with the requests for the lock. Whether the intent still
    // holds is checked after those.
    own.read().catch(() => undefined);
    return Promise.resolve(own);
  };
  const node = readWriteNode({ ...request, mode: 'write', directory }, context);
  for (;;) {
    const intent = await acquire(node, claim, request, wait, context);
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

/** The caller's share of a reader that can become a writer. */
class HeldUpgradableLock extends HeldLock implements UpgradableLock {
  declare readonly mode: 'read';
  readonly #over = newSharedController();
  readonly #upgrades = new Set<HeldLock>();
  /** Settles with the last of the upgrades begun so far. They run one after the other. */
  #begun: Promise<void> = Promise.resolve();
  #underway = 0;

  constructor(
    override readonly grant: NodeGrant,
    private readonly request: LockRequest,
    private readonly locks: ReadWriteLocks,
  ) {
    super(request.key, 'read', grant, request.release, request.pattern);
  }

  async upgrade(options: UpgradeOptions = {}): Promise<Lock> {
    this.throwIfOver();
    const request = this.#checked(options);
    // Whatever ends the reading section also ends its wait to write.
    const signals = [this.grant.signal, this.#over.signal, this.request.signal, request.signal];
    using stop = new LinkedSignal(signals.filter((one) => one !== undefined));
    const begun = this.#begun;
    const isBehind = this.#underway++ > 0;
    const { activeLocks } = this.locks.context;
    const upgrading = activeLocks.during({ ...request, signal: stop.signal }, async (wait) => {
      if (isBehind) wait.blocked();
      await wait.for(begun);
      return this.#becomeWriter(request, wait);
    });
    // Counted before the error is explained, which takes time: no call is behind it any more.
    const upgraded = upgrading.finally(() => this.#underway--);
    // Without the results of the upgrades, which would each retain the previous one.
    this.#begun = Promise.allSettled([begun, upgraded]).then(() => undefined);
    const ahead = this.locks.holderReport.lookAhead(request);
    try {
      return await upgraded;
    } catch (error) {
      throw await this.#explained(error, request, ahead);
    } finally {
      void ahead?.();
    }
  }

  #checked(given: UpgradeOptions): LockRequest {
    const { pattern, key, label } = this.request;
    const options = readUpgradeOptions(given);
    const request = this.locks.request(key, { ...options, mode: 'write', pattern, label });
    return this.locks.nest({ ...request, kind: 'upgrade' }, this.grant);
  }

  /** Also releases the upgrades, and ends one that waits. */
  override release(): Promise<void> {
    this.#over.abort();
    for (const lock of this.#upgrades) void lock.release();
    return super.release();
  }

  async #becomeWriter(request: LockRequest, wait: Wait): Promise<Lock> {
    const { grant, key } = this;
    let hasShare = false;
    // A grant that is already a writer's is joined.
    while (grant.mode === 'read') {
      hasShare = await upgrade(grant, request, wait, this.locks.context);
      if (hasShare) break;
      this.throwIfOver();
    }
    const lock = new HeldLock(key, 'write', grant, this.releaseMode);
    if (hasShare) void grant.unshare('write');
    this.#keep(lock);
    if (!this.isReleased) return lock;
    await lock.release();
    throw new LockReleasedError(key, 'read');
  }

  #keep(upgraded: HeldLock): void {
    for (const lock of this.#upgrades) if (lock.isReleased) this.#upgrades.delete(lock);
    this.#upgrades.add(upgraded);
  }

  /** The reason for the end of the wait, if the lock's own end caused it. */
  async #explained(error: unknown, request: LockRequest, ahead?: LookAhead): Promise<unknown> {
    const { grant, key } = this;
    if (this.isReleased) return new LockReleasedError(key, 'read');
    const { loss } = grant;
    if (loss) return new LockLostError(key, 'read', loss.reason, { cause: loss });
    return this.locks.holderReport.explainUpgrade(error, request, grant, ahead);
  }
}

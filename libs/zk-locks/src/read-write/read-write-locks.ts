import { ZkLockConfigError } from '../zk-lock-error.js';
import type { OnLost } from '../grant/active-locks.js';
import { refuseHoles, directoryOf } from '../key-path.js';
import { LockLostError, LockReleasedError, LockUpgradeError } from '../lock-errors.js';
import type {
  AcquireOptions,
  AcquireUpgradableOptions,
  Lock,
  LockMode,
  UpgradeOptions,
} from '../lock.js';
import type { HolderReport } from '../inspection/holder-report.js';
import { newWait, type Wait } from '../queue/wait.js';
import {
  readAcquireOptions,
  readAcquireUpgradableOptions,
  readUpgradeOptions,
} from '../options/table.js';
import { enclosingLock, runWithLock } from '../grant/async-scope.js';
import type { Grant } from '../grant/grant.js';
import type { LocksContext } from '../grant/locks-context.js';
import { HeldLock } from '../grant/handle.js';
import { HeldUpgradableLock } from './held-upgradable-lock.js';
import { type LockGrant, takeLock, type LockRequest } from './lock-grant.js';
import { takeUpgradable } from './upgradable.js';
import { upgrade } from './upgrade.js';

/** Takes locks for several calls of this process together. */
export interface SharedLocks {
  take(request: LockRequest, wait: Wait): Promise<Grant>;
  /** Without a wait; undefined where it takes one. */
  takeKept(request: LockRequest): Grant | undefined;
  /** What its caller has to wait for then; undefined where it may go on. */
  pause(): Promise<void> | undefined;
}

/** The read/write locks of one process, by key; those of one async context join each other. */
export class ReadWriteLocks {
  constructor(
    private readonly context: LocksContext,
    private readonly holderReport: HolderReport,
    private readonly shared?: SharedLocks,
  ) {}

  /**
   * Checks everything about a call, before it touches ZooKeeper.
   *
   * @throws {ZkLockConfigError} {@link LockKeyError}
   */
  request(key: string, given: AcquireOptions | null | undefined): LockRequest {
    const options = readAcquireOptions(given);
    this.#checkMode(options.mode);
    const { timeoutMs = this.context.acquireTimeoutMs } = options;
    const directory = this.#directoryOf(key);
    refuseHoles({ key, pattern: options.pattern });
    return {
      key,
      mode: options.mode ?? 'write',
      timeoutMs,
      deadline: performance.now() + timeoutMs,
      signal: options.signal,
      directory,
      label: options.label,
      pattern: options.pattern,
      kind: 'lock',
      reentrant: options.reentrant ?? true,
      release: options.release ?? this.context.release,
    };
  }

  acquire(request: LockRequest): Promise<HeldLock> {
    const { key, mode, directory, release } = request;
    const enclosing = request.reentrant && enclosingLock(this, directory);
    if (enclosing) return joinLock(enclosing.lock, request);
    return this.#take(request).then(
      (grant) => new HeldLock(key, mode, grant, release),
      async (error: unknown) => {
        throw await this.holderReport.explain(error, directory);
      },
    );
  }

  #take(request: LockRequest): Promise<Grant> {
    const { shared } = this;
    return shared ? this.#takeShared(request, shared) : this.take(request);
  }

  /** Together with other calls of this process, without a wait where the lock is kept for them. */
  #takeShared(request: LockRequest, shared: SharedLocks): Promise<Grant> {
    const { activeLocks, observer } = this.context;
    return observer.take(request, () => {
      const kept = request.signal?.aborted ? undefined : shared.takeKept(request);
      if (kept) {
        const added = activeLocks.add(kept);
        return shared.pause()?.then(() => added) ?? added;
      }
      const take = (wait: Wait): Promise<Grant> => shared.take(request, wait);
      return activeLocks.take(request, () => this.#newWait(request), take);
    });
  }

  /** Waits for a grant of its own, which is not shared yet. */
  take(request: LockRequest, onLost?: OnLost): Promise<LockGrant> {
    return this.#granted(request, (wait) => takeLock(request, wait, this.context), onLost);
  }

  async acquireUpgradable(
    key: string,
    given: AcquireUpgradableOptions | null | undefined,
  ): Promise<HeldUpgradableLock> {
    const { holderReport } = this;
    const { activeLocks, observer } = this.context;
    const options = readAcquireUpgradableOptions(given);
    this.#checkUpgradable();
    const asked = this.request(key, { ...options, mode: 'read' });
    const request = { ...asked, kind: 'upgradable' } as const;
    if (enclosingLock(this, request.directory)) throw new LockUpgradeError(key, 'upgradable');
    const grant = await this.#granted(request, (wait) =>
      takeUpgradable(request, wait, this.context),
    ).catch(async (error: unknown) => {
      throw await holderReport.explain(error, request.directory);
    });
    return new HeldUpgradableLock(key, grant, request.release, {
      prepare: (upgradeOptions: UpgradeOptions) => {
        const checked = readUpgradeOptions(upgradeOptions);
        const { pattern } = request;
        const { signal, ...own } = this.request(key, { ...checked, mode: 'write', pattern });
        // What ends the section that reads also ends its wait to write.
        const signals = [request.signal, signal].filter((one) => one !== undefined);
        return { ...own, kind: 'upgrade', signals };
      },
      during: (upgradeRequest, work) =>
        observer.wait(upgradeRequest, () =>
          activeLocks.during(() => this.#newWait(upgradeRequest), work),
        ),
      upgrade: (held, upgradeRequest, wait) => upgrade(held, upgradeRequest, wait, this.context),
      explain: (error, held, { directory }) => holderReport.explainUpgrade(error, directory, held),
    });
  }

  /** Runs `fn` as what a lock is held around; `shown` is what `currentLock()` gives it. */
  runWithin<T>(lock: HeldLock, shown: Lock, fn: () => T): T {
    const directory = this.#directoryOf(lock.key);
    return runWithLock({ owner: this, directory, lock, shown }, fn);
  }

  /** The lock of a key that is held around the calling code. */
  current(key: string): Lock | undefined {
    return enclosingLock(this, this.#directoryOf(key))?.shown;
  }

  #granted<G extends Grant>(
    request: LockRequest,
    take: (wait: Wait) => Promise<G>,
    onLost?: OnLost,
  ): Promise<G> {
    const { activeLocks, observer } = this.context;
    return observer.take(request, () =>
      activeLocks.take(request, () => this.#newWait(request), take, onLost),
    );
  }

  #newWait(request: LockRequest): Wait {
    return newWait(request, this.context.session, this.context.sessionTimeoutMs);
  }

  #directoryOf(key: string): string {
    return directoryOf(this.context.root, key);
  }

  #checkMode(mode: LockMode | undefined): void {
    const { dialect } = this.context;
    if (mode !== 'read' || dialect.hasReaders) return;
    throw new ZkLockConfigError(
      'mode',
      `is 'read', which the dialect "${dialect.name}" does not have`,
      "Use 'write', or the dialect 'curator-rw' or 'kazoo' in all processes.",
    );
  }

  #checkUpgradable(): void {
    const { dialect } = this.context;
    if (dialect.canUpgrade) return;
    throw new ZkLockConfigError(
      'dialect',
      `is '${dialect.name}', which has no upgradable locks`,
      "Take the write lock from the start, or use the dialect 'curator-rw' in all processes.",
    );
  }
}

/**
 * A nested call shares the grant of the one around it.
 *
 * @throws {LockUpgradeError} {@link LockLostError}
 * @throws {LockReleasedError} where it was released while the clock could not tell whether it is held
 */
async function joinLock(
  { grant }: HeldLock,
  { key, mode, release }: LockRequest,
): Promise<HeldLock> {
  if (grant.mode === 'read' && mode === 'write') throw new LockUpgradeError(key);
  if (grant.loss) await grant.whenCertain();
  const { loss } = grant;
  if (loss) throw new LockLostError(key, mode, loss.reason, { cause: loss });
  if (grant.isReleased) throw new LockReleasedError(key, mode);
  return new HeldLock(key, mode, grant, release);
}

import { LockLostError, LockReleasedError } from '../lock/lock-errors.js';
import type { Lock, UpgradableLock, UpgradeOptions } from '../lock/lock.js';
import { readUpgradeOptions } from '../options/call-options.js';
import type { LookAhead } from '../inspection/look-ahead.js';
import { LinkedSignal, newSharedController, type Wait } from 'zk-client/recipes';
import { HeldLock } from '../grant/grant.js';
import type { NodeGrant } from '../grant/node-grant.js';
import type { LockRequest, ReadWriteLocks } from './read-write-locks.js';
import { upgrade } from './upgrade.js';

/** The caller's share of a reader that can become a writer. */
export class HeldUpgradableLock extends HeldLock implements UpgradableLock {
  declare readonly mode: 'read';
  readonly #over = newSharedController();
  readonly #upgrades = new Set<HeldLock>();
  /** Settles with the last of the upgrades that have begun; they go one after the other. */
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
    const { signal, ...request } = this.#checked(options);
    // What ends the section that reads also ends its wait to write.
    const signals = [this.grant.signal, this.#over.signal, this.request.signal, signal];
    using stop = new LinkedSignal(signals.filter((one) => one !== undefined));
    const begun = this.#begun;
    const isBehind = this.#underway++ > 0;
    const upgrading = this.locks.during({ ...request, signal: stop.signal }, async (wait) => {
      if (isBehind) wait.blocked();
      await wait.for(begun);
      return this.#becomeWriter(request, wait);
    });
    // Before its error is explained, which takes time: no call is behind it any more.
    const upgraded = upgrading.finally(() => this.#underway--);
    // Not what they settled with: each would keep the one before it.
    this.#begun = Promise.allSettled([begun, upgraded]).then(() => undefined);
    const ahead = this.locks.holderReport.lookAhead(request);
    try {
      return await upgraded;
    } catch (error) {
      throw await this.#explained(error, { ...request, signal: undefined }, ahead);
    } finally {
      void ahead?.end();
    }
  }

  #checked(given: UpgradeOptions): LockRequest {
    const { pattern, key } = this.request;
    const options = readUpgradeOptions(given);
    const request = this.locks.request(key, { ...options, mode: 'write', pattern });
    return this.locks.nest({ ...request, kind: 'upgrade' }, this.grant);
  }

  /** Gives back the upgrades as well, and ends one that waits. */
  override release(): Promise<void> {
    this.#over.abort();
    for (const lock of this.#upgrades) void lock.release();
    return super.release();
  }

  async #becomeWriter(request: Omit<LockRequest, 'signal'>, wait: Wait): Promise<Lock> {
    const { grant, key } = this;
    let hasShare = false;
    // One that is a writer's already is joined.
    while (grant.mode === 'read') {
      hasShare = await upgrade(grant, { ...request, signal: undefined }, wait, this.locks.context);
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

  /** What ended the wait, where that was the end of the lock. */
  async #explained(error: unknown, request: LockRequest, ahead?: LookAhead): Promise<unknown> {
    const { grant, key } = this;
    if (this.isReleased) return new LockReleasedError(key, 'read');
    const { loss } = grant;
    if (loss) return new LockLostError(key, 'read', loss.reason, { cause: loss });
    return this.locks.holderReport.explainUpgrade(error, request, grant, ahead);
  }
}

import { LockLostError, LockReleasedError } from '../lock-errors.js';
import type { Lock, UpgradableLock, UpgradeOptions } from '../lock.js';
import type { Wait } from '../queue/wait.js';
import { HeldLock } from './held-lock.js';
import type { ReadWriteHolding } from './read-write-holding.js';
import type { LockRequest } from './take-lock.js';

/** How a holding of one manager becomes a writer's. */
export interface Upgrader {
  prepare(options: UpgradeOptions): LockRequest;
  /** Runs one wait to its end. */
  during<T>(request: LockRequest, work: (wait: Wait) => Promise<T>): Promise<T>;
  /** True with a share for writing; false when the holding has lost a node, or has to try again. */
  upgrade(holding: ReadWriteHolding, request: LockRequest, wait: Wait): Promise<boolean>;
}

/** The caller's share of a reader that can become a writer. */
export class HeldUpgradableLock extends HeldLock implements UpgradableLock {
  declare readonly mode: 'read';
  readonly #over = new AbortController();
  readonly #upgrades = new Set<HeldLock>();
  /** Settles with the last of the upgrades that have begun; they go one after the other. */
  #begun: Promise<unknown> = Promise.resolve();
  #underway = 0;

  constructor(
    key: string,
    holding: ReadWriteHolding,
    private readonly upgrader: Upgrader,
  ) {
    super(key, 'read', holding);
  }

  async upgrade(options: UpgradeOptions = {}): Promise<Lock> {
    this.assertHeld();
    const { signal, ...request } = this.upgrader.prepare(options);
    const { holding } = this;
    const stops = [holding.signal, this.#over.signal, ...(signal ? [signal] : [])];
    const begun = this.#begun;
    const isBehind = this.#underway++ > 0;
    const upgraded = this.upgrader.during(
      { ...request, signal: AbortSignal.any(stops) },
      async (wait) => {
        if (isBehind) wait.blocked();
        await wait.for(begun);
        return this.#becomeWriter(request, wait);
      },
    );
    this.#begun = Promise.allSettled([begun, upgraded]);
    return upgraded.catch((error: unknown) => this.#explain(error)).finally(() => this.#underway--);
  }

  /** Gives back the upgrades as well, and ends one that waits. */
  override release(): Promise<void> {
    this.#over.abort();
    for (const lock of this.#upgrades) void lock.release();
    return super.release();
  }

  async #becomeWriter(request: Omit<LockRequest, 'signal'>, wait: Wait): Promise<Lock> {
    const { holding, key } = this;
    let hasShare = false;
    // One that is a writer's already is joined.
    while (holding.mode === 'read' && !hasShare) {
      hasShare = await this.upgrader.upgrade(holding, { ...request, signal: undefined }, wait);
      if (!hasShare) this.assertHeld();
    }
    const lock = new HeldLock(key, 'write', holding);
    if (hasShare) void holding.unshare('write');
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
  #explain(error: unknown): never {
    const { holding, key } = this;
    if (this.isReleased) throw new LockReleasedError(key, 'read');
    const { loss } = holding;
    throw loss ? new LockLostError(key, 'read', loss.reason, { cause: loss }) : error;
  }
}

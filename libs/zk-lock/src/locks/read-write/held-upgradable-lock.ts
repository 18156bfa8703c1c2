import { LockLostError, LockReleasedError } from '../lock-errors.js';
import type { Lock, UpgradableLock, UpgradeOptions } from '../lock.js';
import { HeldLock } from './held-lock.js';
import type { ReadWriteHolding } from './read-write-holding.js';
import type { LockRequest } from './take-lock.js';

/** How a holding of one manager becomes a writer's. */
export interface Upgrader {
  prepare(options: UpgradeOptions): LockRequest;
  /** False when the holding has lost a node. */
  upgrade(holding: ReadWriteHolding, request: LockRequest): Promise<boolean>;
}

/** The caller's share of a reader that can become a writer. */
export class HeldUpgradableLock extends HeldLock implements UpgradableLock {
  declare readonly mode: 'read';
  #lastUpgrade: Promise<unknown> = Promise.resolve();

  constructor(
    key: string,
    holding: ReadWriteHolding,
    private readonly upgrader: Upgrader,
  ) {
    super(key, 'read', holding);
  }

  async upgrade(options: UpgradeOptions = {}): Promise<Lock> {
    const request = this.upgrader.prepare(options);
    const upgraded = this.#lastUpgrade.then(() => this.#upgrade(request));
    this.#lastUpgrade = upgraded.catch(() => undefined);
    return upgraded;
  }

  async #upgrade(request: LockRequest): Promise<Lock> {
    const { holding, key } = this;
    this.assertHeld();
    // One that is a writer's already is joined.
    while (holding.mode === 'read' && !(await this.#tryUpgrade(request))) this.assertHeld();
    if (holding.isReleased) throw new LockReleasedError(key, 'read');
    return new HeldLock(key, 'write', holding);
  }

  /** Stops waiting when the lock is lost. */
  async #tryUpgrade(request: LockRequest): Promise<boolean> {
    const { holding, key } = this;
    const signals = request.signal ? [request.signal, holding.signal] : [holding.signal];
    try {
      const signal = AbortSignal.any(signals);
      return await this.upgrader.upgrade(holding, { ...request, signal });
    } catch (error) {
      const { loss } = holding;
      throw loss ? new LockLostError(key, 'read', loss.reason, { cause: loss }) : error;
    }
  }
}

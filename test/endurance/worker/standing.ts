import { AsyncLocalStorage } from 'node:async_hooks';
import type { Lock, LockService, UpgradableLock } from 'nestjs-zk-lock';

/** Locks that are held while all others come and go: what nested calls join again and again. */
export class Standing {
  static readonly key = 'standing';

  private constructor(
    readonly lock: Lock,
    /** Runs a function in the async context that holds the lock. */
    readonly within: <T>(fn: () => T) => T,
    readonly upgradable: UpgradableLock,
  ) {}

  static async open(locks: LockService): Promise<Standing> {
    const upgradable = await locks.acquireUpgradable('standing-upgradable');
    return new Promise((resolve, reject) => {
      const section = locks.withLock(Standing.key, (lock) => {
        resolve(new Standing(lock, AsyncLocalStorage.snapshot(), upgradable));
        // Until the process ends.
        return new Promise<never>(() => undefined);
      });
      section.catch(reject);
    });
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Lock, LockService, UpgradableLock } from 'nestjs-zk-lock';

/** Locks that are held while all others come and go: what nested calls join again and again. */
export class Standing {
  static readonly key = 'standing';
  readonly #release: () => void;

  private constructor(
    readonly lock: Lock,
    /** Runs a function in the async context that holds the lock. */
    readonly within: <T>(fn: () => T) => T,
    readonly upgradable: UpgradableLock,
    private readonly section: Promise<void>,
    release: () => void,
  ) {
    this.#release = release;
  }

  static async open(locks: LockService): Promise<Standing> {
    const upgradable = await locks.acquireUpgradable('standing-upgradable');
    return new Promise((resolve, reject) => {
      const section: Promise<void> = locks.withLock(
        Standing.key,
        (lock) =>
          new Promise<void>((release) => {
            const within = AsyncLocalStorage.snapshot();
            queueMicrotask(() => {
              resolve(new Standing(lock, within, upgradable, section, release));
            });
          }),
      );
      section.catch(reject);
    });
  }

  async close(): Promise<void> {
    this.#release();
    await Promise.all([this.section, this.upgradable.release()]);
  }
}

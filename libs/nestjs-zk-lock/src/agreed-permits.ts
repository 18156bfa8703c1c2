import { isDeepStrictEqual } from 'node:util';
import type { SemaphoreOptions } from 'zk-locks';
import { checkValue, resolvePermitCount, show } from 'zk-locks/framework';

type Permits = SemaphoreOptions['permits'];

/** The permits of the semaphores that `ZkLockModule.forFeature()` declares, for one connection. */
export class AgreedPermits {
  readonly #byKey = new Map<string, Permits>();

  /**
   * @throws {ZkLockConfigError} when another number was declared for the key, or the number is
   * invalid
   */
  agree(key: string, permits: Permits): void {
    resolvePermitCount(permits, '');
    this.check(key, permits);
    this.#byKey.set(key, permits);
  }

  /** @throws {ZkLockConfigError} when another number was declared for the key */
  check(key: string, permits: Permits): void {
    const agreed = this.#byKey.get(key);
    if (agreed === undefined) return;
    checkValue('permits', permits, {
      expected: `the same everywhere: ZkLockModule.forFeature() gives the semaphore "${key}" ${show(agreed)}`,
      accepts: (other) => isDeepStrictEqual(agreed, other),
      remedy:
        'Declare the number once, in one forFeature(), and import that module where you need it.',
    });
  }

  /** Undefined if no number was declared for the key. */
  find(key: string): Permits | undefined {
    return this.#byKey.get(key);
  }

  /** @throws {ZkLockConfigError} when no number was declared for the key */
  of(key: string): Permits {
    const agreed: unknown = this.find(key);
    checkValue('permits', agreed, {
      expected: `given, because no ZkLockModule.forFeature() declares the semaphore "${key}"`,
      accepts: (given) => given !== undefined,
      remedy: `Pass { permits }, or import ZkLockModule.forFeature({ semaphores: [{ key: '${key}', permits: 4 }] }).`,
    });
    return agreed as Permits;
  }
}

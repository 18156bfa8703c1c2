import type { InspectOptions } from '../locks/lock.js';
import type {
  Permit,
  PermitOptions,
  Semaphore,
  SemaphoreInspection,
  TryPermitOptions,
} from '../locks/semaphore/semaphore.js';
import type { OpenWaits } from './open-waits.js';

type Guarded<T> = (permit: Permit) => T | PromiseLike<T>;

/** A semaphore whose waits a shutdown can end. */
export class ServiceSemaphore implements Semaphore {
  constructor(
    private readonly semaphore: Semaphore,
    private readonly waits: OpenWaits,
  ) {}

  get key(): string {
    return this.semaphore.key;
  }

  acquire(options?: PermitOptions): Promise<Permit> {
    return this.waits.duringCall(options, (own) => this.semaphore.acquire(own));
  }

  tryAcquire(options?: TryPermitOptions): Promise<Permit | null> {
    return this.waits.duringCall(options, (own) => this.semaphore.tryAcquire(own));
  }

  withPermit<T>(fn: Guarded<T>): Promise<T>;
  withPermit<T>(options: PermitOptions, fn: Guarded<T>): Promise<T>;
  withPermit<T>(...rest: [fn: Guarded<T>] | [options: PermitOptions, fn: Guarded<T>]): Promise<T> {
    const [options, fn] = rest.length === 1 ? [undefined, rest[0]] : rest;
    return this.waits.duringCall(options, (own) => this.semaphore.withPermit(own, fn));
  }

  permits(): Promise<number> {
    return this.semaphore.permits();
  }

  setPermits(permits: number): Promise<void> {
    return this.semaphore.setPermits(permits);
  }

  inspect(options: InspectOptions = {}): Promise<SemaphoreInspection> {
    return this.semaphore.inspect(options);
  }
}

import type { SemaphoreOptions } from 'nestjs-zk-lock';
import { CommandProcess } from '../../support/command-process.js';

/** Work under a lock: each of the partner's `threads` does it `times` times. */
export interface Work {
  readonly file: string;
  readonly threads: number;
  readonly times: number;
}

/** A partner's lock, which may have been released. */
export interface PartnerLock {
  release(): Promise<void>;
  /** Acquires it again with the same kazoo object. */
  again(): Promise<void>;
  /** Whether another call has asked for it. */
  isRevoked(): Promise<boolean>;
}

/** A partner's permits, which may have been returned. */
export interface PartnerPermits {
  release(): Promise<void>;
}

type PermitCount = SemaphoreOptions['permits'];

/**
 * A process in another language that uses another library's locks on command. A lock is identified
 * by its `kind`, which is the library's recipe, and the path of its directory.
 */
export class Partner extends CommandProcess {
  #locks = 0;

  /** Resolves once its session is connected. */
  static async start(command: string, args: readonly string[]): Promise<Partner> {
    const partner = new Partner([command, ...args], 'the partner');
    await partner.ready();
    return partner;
  }

  async acquire(kind: string, path: string): Promise<PartnerLock> {
    const name = this.#newName();
    await this.#take('acquire', name, kind, path);
    return this.#lock(name);
  }

  /** Does not wait; null if the lock is taken. */
  async tryAcquire(kind: string, path: string): Promise<PartnerLock | null> {
    const name = this.#newName();
    const isTaken = await this.tell('try', name, kind, path);
    return isTaken === true ? this.#lock(name) : null;
  }

  /** Acquires a read lock by downgrading a write lock. */
  async downgraded(path: string): Promise<PartnerLock> {
    const name = this.#newName();
    await this.#take('downgrade', name, path);
    return this.#lock(name);
  }

  /** Increments the number in a `GuardedFile` repeatedly, each time under the lock. */
  async increment(kind: string, path: string, { file, threads, times }: Work): Promise<void> {
    await this.tell('increment', kind, path, file, threads, times);
  }

  /** @throws {Error} if the number in the file and its copy differ while the lock is held */
  async check(kind: string, path: string, { file, threads, times }: Work): Promise<void> {
    await this.tell('check', kind, path, file, threads, times);
  }

  /** The contenders in the queue, as reported by the partner's library, in order. */
  contenders(kind: string, path: string): Promise<unknown> {
    return this.tell('contenders', kind, path);
  }

  /** Takes part in an election of the partner's library until it leads; `release` ends its term. */
  async lead(path: string, id: string): Promise<Pick<PartnerLock, 'release'>> {
    const name = this.#newName();
    await this.#take('lead', name, path, id);
    return { release: () => this.tell('resign', name).then(() => undefined) };
  }

  /** The candidates, as reported by the partner's library, in order. */
  candidates(path: string): Promise<unknown> {
    return this.tell('candidates', path);
  }

  /** Waits for permits of the semaphore with this directory. */
  async acquirePermits(path: string, of: PermitCount, permits = 1): Promise<PartnerPermits> {
    const name = this.#newName();
    await this.tell('permits', 'acquire', name, path, countWord(of), permits);
    return this.#permits(name);
  }

  /** Does not wait; null if too few permits are free. */
  async tryPermits(path: string, of: PermitCount, permits = 1): Promise<PartnerPermits | null> {
    const name = this.#newName();
    const areTaken = await this.tell('permits', 'try', name, path, countWord(of), permits);
    return areTaken === true ? this.#permits(name) : null;
  }

  /**
   * Each thread takes one permit at a time, and logs in a file how many it has ({@link PermitLog}).
   */
  async occupy(path: string, of: PermitCount, { file, threads, times }: Work): Promise<void> {
    await this.tell('permits', 'occupy', path, countWord(of), file, threads, times);
  }

  /**
   * The leases, as reported by the partner's library: of those who have a permit or are about to.
   */
  leases(path: string): Promise<unknown> {
    return this.tell('permits', 'leases', path);
  }

  /** The number in a shared count, which is created with the seed if it does not exist. */
  sharedCount(count: Exclude<PermitCount, number>): Promise<unknown> {
    return this.tell('permits', 'count', countWord(count));
  }

  async setSharedCount(count: Exclude<PermitCount, number>, permits: number): Promise<void> {
    await this.tell('permits', 'setCount', countWord(count), permits);
  }

  /** Runs the example of the documentation, which increments the number in a file. */
  async ship(id: string, file: string): Promise<void> {
    await this.tell('ship', id, file);
  }

  /** Asks the owner of a lock node to release the lock. */
  async revoke(node: string): Promise<void> {
    await this.tell('revoke', node);
  }

  #newName(): string {
    return `lock-${++this.#locks}`;
  }

  #lock(name: string): PartnerLock {
    return {
      release: () => this.tell('release', name).then(() => undefined),
      again: () => this.#take('again', name),
      isRevoked: async () => (await this.tell('isRevoked', name)) === true,
    };
  }

  #permits(name: string): PartnerPermits {
    return { release: () => this.tell('permits', 'release', name).then(() => undefined) };
  }

  async #take(...command: readonly [string, ...string[]]): Promise<void> {
    if ((await this.tell(...command)) !== true) throw new Error('it stopped waiting');
  }
}

function countWord(of: PermitCount): string | number {
  return typeof of === 'number' ? of : `${of.sharedCount}=${of.seed}`;
}

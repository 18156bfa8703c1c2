import type { SemaphoreOptions } from 'nestjs-zk-lock';
import { CommandProcess } from '../../support/command-process.js';

/** Work under a lock, by `threads` of the partner, each so many `times`. */
export interface Work {
  readonly file: string;
  readonly threads: number;
  readonly times: number;
}

/** A lock that a partner has, or had. */
export interface PartnerLock {
  release(): Promise<void>;
  /** Takes it once more, by the same object of kazoo. */
  again(): Promise<void>;
  /** Whether a call has asked for it. */
  isRevoked(): Promise<boolean>;
}

/** Permits that a partner has, or had. */
export interface PartnerPermits {
  release(): Promise<void>;
}

type PermitCount = SemaphoreOptions['permits'];

/**
 * A process in another language that takes the locks of another library on command. A lock is named
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

  /** Waits for its turn. */
  async acquire(kind: string, path: string): Promise<PartnerLock> {
    const name = this.#newName();
    await this.#take('acquire', name, kind, path);
    return this.#lock(name);
  }

  /** Tries without waiting; null where the lock is taken. */
  async tryAcquire(kind: string, path: string): Promise<PartnerLock | null> {
    const name = this.#newName();
    const isTaken = await this.tell('try', name, kind, path);
    return isTaken === true ? this.#lock(name) : null;
  }

  /** A reader that has been a writer. */
  async downgraded(path: string): Promise<PartnerLock> {
    const name = this.#newName();
    await this.#take('downgrade', name, path);
    return this.#lock(name);
  }

  /** Adds to the number in a file and to its copy (`guardedFile`), each time under the lock. */
  async increment(kind: string, path: string, { file, threads, times }: Work): Promise<void> {
    await this.tell('increment', kind, path, file, threads, times);
  }

  /** @throws {Error} when the number in the file and its copy differ while it has the lock */
  async check(kind: string, path: string, { file, threads, times }: Work): Promise<void> {
    await this.tell('check', kind, path, file, threads, times);
  }

  /** What its library says about who is in the queue, in order. */
  contenders(kind: string, path: string): Promise<unknown> {
    return this.tell('contenders', kind, path);
  }

  /** Takes part in an election of its library until it leads; `release` ends its leading. */
  async lead(path: string, id: string): Promise<Pick<PartnerLock, 'release'>> {
    const name = this.#newName();
    await this.#take('lead', name, path, id);
    return { release: () => this.tell('resign', name).then(() => undefined) };
  }

  /** What its library says about who takes part in an election, in order. */
  candidates(path: string): Promise<unknown> {
    return this.tell('candidates', path);
  }

  /** Waits for so many permits of the semaphore whose directory this is. */
  async acquirePermits(path: string, of: PermitCount, permits = 1): Promise<PartnerPermits> {
    const name = this.#newName();
    await this.tell('permits', 'acquire', name, path, countWord(of), permits);
    return this.#permits(name);
  }

  /** Tries without waiting; null where they are taken. */
  async tryPermits(path: string, of: PermitCount, permits = 1): Promise<PartnerPermits | null> {
    const name = this.#newName();
    const areTaken = await this.tell('permits', 'try', name, path, countWord(of), permits);
    return areTaken === true ? this.#permits(name) : null;
  }

  /** Takes one permit at a time by each thread, and notes in a file who has how many ({@link PermitLog}). */
  async occupy(path: string, of: PermitCount, { file, threads, times }: Work): Promise<void> {
    await this.tell('permits', 'occupy', path, countWord(of), file, threads, times);
  }

  /** What its library says about who has a permit, or is about to. */
  leases(path: string): Promise<unknown> {
    return this.tell('permits', 'leases', path);
  }

  /** The number in a shared count, which gets the seed when it is not there. */
  sharedCount(count: Exclude<PermitCount, number>): Promise<unknown> {
    return this.tell('permits', 'count', countWord(count));
  }

  async setSharedCount(count: Exclude<PermitCount, number>, permits: number): Promise<void> {
    await this.tell('permits', 'setCount', countWord(count), permits);
  }

  /** Runs the example of the documentation; its shipping increments the number in a file. */
  async ship(id: string, file: string): Promise<void> {
    await this.tell('ship', id, file);
  }

  /** Asks the owner of a lock node to give it up. */
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

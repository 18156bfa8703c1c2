import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { SemaphoreOptions } from 'nestjs-zk-lock';

/** What a partner says: an answer to the command of this id, or that it is connected, as 0. */
type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

/** Work under a lock, by `threads` of the partner, each so many `times`. */
export interface Work {
  readonly file: string;
  readonly threads: number;
  readonly times: number;
}

/** A lock that a partner has, or had. */
export interface PartnerLock {
  release(): Promise<void>;
  /** Takes it once more, by the same object of its library. */
  again(): Promise<void>;
  /** Whether somebody has asked for it. */
  isRevoked(): Promise<boolean>;
  /** When it was granted, by waiting: milliseconds of the machine's monotonic clock. */
  grantedAt(): Promise<number>;
}

/** What its library has told a partner about the connection. */
export interface StateNews {
  /** In the library's words, such as `SUSPENDED`. */
  readonly state: string;
  /** Milliseconds of the machine's monotonic clock. */
  readonly at: number;
}

/** Permits that a partner has, or had. */
export interface PartnerPermits {
  release(): Promise<void>;
}

type PermitCount = SemaphoreOptions['permits'];

const running = new Set<Partner>();
process.once('exit', () => {
  for (const partner of running) partner.kill();
});

/**
 * A process in another language that takes the locks of another library on command. A lock is named
 * by its `kind`, which is the library's recipe, and the path of its directory.
 */
export class Partner {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #closed: Promise<unknown>;
  #commands = 0;
  #locks = 0;
  #hasEnded = false;
  #errors = '';

  private constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-16_384);
    });
    // A process that is gone is noticed at its output.
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    running.add(this);
    this.#closed = once(this.#child, 'close')
      .catch((error: unknown) => (this.#errors += String(error)))
      .finally(() => this.#onClose());
  }

  /** Resolves once its session is connected. */
  static async start(command: string, args: readonly string[]): Promise<Partner> {
    const partner = new Partner(command, args);
    await partner.#answer(0);
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
    const isTaken = await this.#tell('try', name, kind, path);
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
    await this.#tell('increment', kind, path, file, threads, times);
  }

  /** @throws {Error} when the number in the file and its copy differ while it has the lock */
  async check(kind: string, path: string, { file, threads, times }: Work): Promise<void> {
    await this.#tell('check', kind, path, file, threads, times);
  }

  /** What its listener for the state of the connection has heard so far, in order. */
  async states(): Promise<StateNews[]> {
    const states = (await this.#tell('states')) as string[];
    return states.map((words) => {
      const [state = '', at] = words.split(' ');
      return { state, at: Number(at) };
    });
  }

  /** What its library says about who is in the queue, in order. */
  contenders(kind: string, path: string): Promise<unknown> {
    return this.#tell('contenders', kind, path);
  }

  /** Takes part in an election of its library until it leads; `release` ends its leading. */
  async lead(path: string, id: string): Promise<Pick<PartnerLock, 'release'>> {
    const name = this.#newName();
    await this.#take('lead', name, path, id);
    return { release: () => this.#tell('resign', name).then(() => undefined) };
  }

  /** What its library says about who takes part in an election, in order. */
  candidates(path: string): Promise<unknown> {
    return this.#tell('candidates', path);
  }

  /** Waits for so many permits of the semaphore whose directory this is. */
  async acquirePermits(path: string, of: PermitCount, permits = 1): Promise<PartnerPermits> {
    const name = this.#newName();
    await this.#tell('permits', 'acquire', name, path, countWord(of), permits);
    return this.#permits(name);
  }

  /** Tries without waiting; null where they are taken. */
  async tryPermits(path: string, of: PermitCount, permits = 1): Promise<PartnerPermits | null> {
    const name = this.#newName();
    const areTaken = await this.#tell('permits', 'try', name, path, countWord(of), permits);
    return areTaken === true ? this.#permits(name) : null;
  }

  /** Takes one permit at a time by each thread, and notes in a file who has how many ({@link PermitLog}). */
  async occupy(path: string, of: PermitCount, { file, threads, times }: Work): Promise<void> {
    await this.#tell('permits', 'occupy', path, countWord(of), file, threads, times);
  }

  /** What its library says about who has a permit, or is about to. */
  leases(path: string): Promise<unknown> {
    return this.#tell('permits', 'leases', path);
  }

  /** The number in a shared count, which gets the seed when it is not there. */
  sharedCount(count: Exclude<PermitCount, number>): Promise<unknown> {
    return this.#tell('permits', 'count', countWord(count));
  }

  async setSharedCount(count: Exclude<PermitCount, number>, permits: number): Promise<void> {
    await this.#tell('permits', 'setCount', countWord(count), permits);
  }

  /** Runs the example of the documentation; its shipping increments the number in a file. */
  async ship(id: string, file: string): Promise<void> {
    await this.#tell('ship', id, file);
  }

  /** Asks the owner of a lock node to give it up. */
  async revoke(node: string): Promise<void> {
    await this.#tell('revoke', node);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async killed(): Promise<void> {
    this.kill();
    await this.#closed;
  }

  /** Lets it close its session and end. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    const impatience = setTimeout(() => this.kill(), 10_000);
    await this.#closed;
    clearTimeout(impatience);
  }

  #newName(): string {
    return `lock-${++this.#locks}`;
  }

  #lock(name: string): PartnerLock {
    return {
      release: () => this.#tell('release', name).then(() => undefined),
      again: () => this.#take('again', name),
      isRevoked: async () => (await this.#tell('isRevoked', name)) === true,
      grantedAt: async () => Number(await this.#tell('granted', name)),
    };
  }

  #permits(name: string): PartnerPermits {
    return { release: () => this.#tell('permits', 'release', name).then(() => undefined) };
  }

  async #take(...command: readonly [string, ...string[]]): Promise<void> {
    if ((await this.#tell(...command)) !== true) throw new Error('it stopped waiting');
  }

  #tell(what: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const id = ++this.#commands;
    const answer = this.#answer(id);
    this.#child.stdin.write(`${[id, what, ...args].join(' ')}\n`);
    return answer;
  }

  #answer(id: number): Promise<unknown> {
    const ended = (): Error => new Error(`the partner has ended\n${this.#errors}`);
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) reject(ended());
      this.#waiting.set(id, (answer) => {
        if ('value' in answer) resolve(answer.value);
        else reject(answer.error === '' ? ended() : new Error(answer.error));
      });
    });
  }

  #onClose(): void {
    this.#hasEnded = true;
    running.delete(this);
    for (const [id, settle] of this.#waiting) settle({ id, error: '' });
    this.#waiting.clear();
  }
}

function countWord(of: PermitCount): string | number {
  return typeof of === 'number' ? of : `${of.sharedCount}=${of.seed}`;
}

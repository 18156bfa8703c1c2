import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { CommandProcess } from '../../support/command-process.js';
import { ownProgram } from '../../support/own-process.js';
import { waitFor } from '../../support/wait-for.js';
import type {
  BrokenLock,
  Commands,
  Idle,
  SoakWorkerOptions,
  Workload,
} from '../../workers/soak/protocol.js';

/** A process whose tasks compete for locks (`test/workers/soak`), from its start to its end. */
export class SoakProcess extends CommandProcess<Commands> {
  #read = 0;
  #isStopped = false;

  private constructor(
    program: string,
    private readonly options: SoakWorkerOptions,
  ) {
    super([...ownProgram(program), JSON.stringify(options)], options.name);
  }

  /** @param program the worker's main file, of this build or of another one */
  static async start(program: string, options: SoakWorkerOptions): Promise<SoakProcess> {
    const worker = new SoakProcess(program, options);
    await worker.ready();
    return worker;
  }

  async run(workload: Workload = {}): Promise<void> {
    await this.tell('run', workload);
  }

  /** Resolves once all tasks have ended their turns. */
  pause(): Promise<Idle> {
    return this.tell('pause');
  }

  /** Every holder keeps its lock for this long. Resolves once there is a holder. */
  async cling(ms: number): Promise<void> {
    await this.tell('cling', ms);
  }

  /** Blocks its event loop; resolves when that is over. */
  async stall(ms: number): Promise<void> {
    await this.tell('stall', ms);
  }

  /** Sets its wall clock forward. */
  async setForward(ms: number): Promise<void> {
    await this.tell('setForward', ms);
  }

  /** The server that it is connected to, as `ip:port`. */
  connectedTo(): Promise<string | null> {
    return this.tell('where');
  }

  /** Takes a lock from its holder, or a waiter's place; null if that has gone meanwhile. */
  breakLock(key: string, whom: 'holder' | 'waiter'): Promise<BrokenLock | null> {
    return this.tell('breakLock', key, whom);
  }

  /** Lets it close everything and end by itself; returns the handles that would keep it alive. */
  async close(timeoutMs: number): Promise<readonly string[]> {
    const { resources } = await this.tell('close');
    const what = `${this.name} to end by itself, with ${resources.join(', ') || 'nothing'} left`;
    await waitFor(() => this.hasExited, { what, timeoutMs });
    return resources;
  }

  /** Suspends it. */
  freeze(): void {
    this.#isStopped = true;
    this.signal('SIGSTOP');
  }

  resume(): void {
    if (this.#isStopped) this.signal('SIGCONT');
    this.#isStopped = false;
  }

  /** Its journal entries since the last call. */
  readJournal(): string {
    const file = openSync(this.options.journal, 'r');
    try {
      const rest = Buffer.alloc(fstatSync(file).size - this.#read);
      readSync(file, rest, 0, rest.length, this.#read);
      this.#read += rest.length;
      return rest.toString();
    } finally {
      closeSync(file);
    }
  }
}

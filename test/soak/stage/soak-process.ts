import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { CommandProcess } from '../../support/command-process.js';
import { ownProgram } from '../../support/own-process.js';
import { waitFor } from '../../support/wait-for.js';
import type { Commands, Idle, SoakWorkerOptions } from '../../workers/soak/protocol.js';

const WORKER = 'dist/test/workers/soak/main.js';

/** A process whose tasks compete for locks (`test/workers/soak`). */
export class SoakProcess extends CommandProcess<Commands> {
  #read = 0;
  #isStopped = false;

  private constructor(private readonly options: SoakWorkerOptions) {
    super([...ownProgram(WORKER), JSON.stringify(options)], options.name);
  }

  static async start(options: SoakWorkerOptions): Promise<SoakProcess> {
    const worker = new SoakProcess(options);
    await worker.ready();
    return worker;
  }

  async run(): Promise<void> {
    await this.tell('run');
  }

  /** Resolves once all tasks have ended their turns. */
  pause(): Promise<Idle> {
    return this.tell('pause');
  }

  /** Makes every holder keep its lock for this long. Resolves once there is a holder. */
  async cling(ms: number): Promise<void> {
    await this.tell('cling', ms);
  }

  /** The server that it is connected to, as `ip:port`. */
  connectedTo(): Promise<string | null> {
    return this.tell('where');
  }

  /** Lets it close and exit by itself. Returns the handles that would keep it alive. */
  async close(timeoutMs: number): Promise<readonly string[]> {
    const { resources } = await this.tell('close');
    const what = `${this.name} to end by itself, with ${resources.join(', ') || 'nothing'} left`;
    await waitFor(() => this.hasExited, { what, timeoutMs });
    return resources;
  }

  freeze(): void {
    this.#isStopped = true;
    this.signal('SIGSTOP');
  }

  resume(): void {
    if (this.#isStopped) this.signal('SIGCONT');
    this.#isStopped = false;
  }

  /** The journal entries since the previous call. */
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

import type { SoakWorkerOptions } from '../../workers/soak/protocol.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { waitFor } from '../../support/wait-for.js';
import { SoakProcess } from './soak-process.js';

/** The options that all processes of a replica share. */
export type ReplicaOptions = Omit<SoakWorkerOptions, 'name' | 'journal'> & {
  /** One proxy to each server, used by this replica only. */
  readonly proxies: readonly FaultProxy[];
  readonly journalOf: (name: string) => string;
};

/** A replica of the service: its network and its process, which is replaced after it was killed. */
export class Replica {
  readonly #past: SoakProcess[] = [];
  #starts = 1;
  #process: SoakProcess;

  private constructor(
    readonly name: string,
    private readonly options: ReplicaOptions,
    process: SoakProcess,
  ) {
    this.#process = process;
  }

  static async start(name: string, options: ReplicaOptions): Promise<Replica> {
    return new Replica(name, options, await startProcess(`${name}.1`, options));
  }

  get process(): SoakProcess {
    return this.#process;
  }

  /** The present process and its predecessors. */
  get processes(): readonly SoakProcess[] {
    return [...this.#past, this.#process];
  }

  get proxies(): readonly FaultProxy[] {
    return this.options.proxies;
  }

  /** Starts a new process to replace one that was killed. */
  async replace(): Promise<void> {
    this.#past.push(this.#process);
    this.#process = await startProcess(`${this.name}.${String(++this.#starts)}`, this.options);
  }

  forgetPast(): void {
    this.#past.length = 0;
  }

  async onEveryProxy(act: (proxy: FaultProxy) => Promise<unknown>): Promise<void> {
    await Promise.all(this.proxies.map(act));
  }

  /**
   * Blocks the paths to all other servers, and waits until the replica is connected to this one.
   */
  async bringTo(server: number): Promise<void> {
    const others = this.proxies.filter((_, index) => index !== server);
    await Promise.all(others.map((proxy) => proxy.refuse()));
    await Promise.all(others.map((proxy) => proxy.cut()));
    const wanted = this.proxies[server]?.connectString;
    await waitFor(async () => (await this.#process.connectedTo()) === wanted, {
      what: `${this.#process.name} to connect to ${String(wanted)}`,
      // The client tries one server after the other, and the machine may be busy.
      timeoutMs: 60_000,
    });
  }

  async healNetwork(): Promise<void> {
    await this.onEveryProxy(async (proxy) => {
      await proxy.loseNothing();
      await proxy.thaw();
      await proxy.delay(0);
      await proxy.accept();
    });
  }
}

function startProcess(name: string, options: ReplicaOptions): Promise<SoakProcess> {
  const { proxies: _proxies, journalOf, ...rest } = options;
  return SoakProcess.start({ ...rest, name, journal: journalOf(name) });
}

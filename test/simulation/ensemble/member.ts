import { SimulatedProcess } from '../world/simulated-process.js';
import type { Ensemble } from './ensemble.js';
import { Disk } from './log/disk.js';
import type { Replica } from './log/replica.js';
import type { MemberOptions } from './options.js';
import { Peer } from './peer.js';

/** The maximum error of a server's wall clock, in either direction. */
const WRONG_BY_MS = 3_600_000;

/** A server of the ensemble, across its restarts. */
export class Member {
  readonly #disk: Disk;
  #peer: Peer | undefined;
  #runs = 0;
  /** Clocks of its host, which keep running while the server does not. */
  readonly #clockMs: number;
  readonly #wallMs: number;

  constructor(
    readonly id: number,
    readonly host: string,
    readonly options: MemberOptions,
    private readonly ensemble: Ensemble,
    private readonly onUncaught: (error: unknown) => void,
  ) {
    this.#disk = new Disk(options.tickTimeMs);
    const { random } = ensemble.world;
    this.#clockMs = 100_000 * id + random.between(0, 100_000);
    this.#wallMs = 1_700_000_000_000 + random.between(-WRONG_BY_MS, WRONG_BY_MS);
  }

  get name(): string {
    return `server ${this.id}`;
  }

  /** The present run, or the last one. */
  get peer(): Peer {
    if (!this.#peer) throw new Error(`${this.name} was not started`);
    return this.#peer;
  }

  /** The process of the present run. Each restart replaces it. */
  get process(): SimulatedProcess {
    return this.peer.process;
  }

  get replica(): Replica {
    return this.peer.replica;
  }

  get isRunning(): boolean {
    return this.#peer !== undefined && !this.#peer.process.isDead;
  }

  get isServing(): boolean {
    return this.isRunning && this.peer.clients.service !== undefined;
  }

  start(): void {
    const process = new SimulatedProcess(
      this.ensemble.world,
      {
        name: this.name,
        host: this.host,
        pid: 1_000 * this.id + ++this.#runs,
        clockMs: this.#clockMs,
        wallMs: this.#wallMs,
        rate: 1,
      },
      this.onUncaught,
    );
    this.#peer = new Peer(this.id, process, this.options, this.#disk, this.ensemble);
  }

  stop(): void {
    this.process.stop();
  }

  continue(): void {
    this.process.continue();
  }

  /** Ends the process as a power failure does. */
  crash(): void {
    this.peer.note('crashes');
    this.process.kill();
  }

  /** The number of snapshots received from leaders. */
  get snapshots(): number {
    return this.#disk.taken;
  }

  /** Whether each of `others` has logged all of this server's entries, in the latest epoch. */
  isCoveredBy(others: readonly Member[]): boolean {
    const { currentEpoch, log } = this.#disk;
    const areOfOneEpoch = [this, ...others].every(
      (one) => one.#disk.acceptedEpoch === currentEpoch && one.#disk.currentEpoch === currentEpoch,
    );
    return areOfOneEpoch && others.every((one) => one.#disk.log.lastZxid >= log.lastZxid);
  }

  /** Makes the server start without its data the next time. */
  loseData(): void {
    this.#disk.lose();
  }

  /** Restarts the server with the same disk. If it is running, it crashes first. */
  restart(): void {
    if (this.isRunning) this.crash();
    this.start();
  }
}

import { createHash } from 'node:crypto';
import { Random } from '../../workers/soak/random.js';
import type { Network } from '../network/network.js';
import { EventQueue } from './event-queue.js';

const MOST_LINES = 200_000;

interface Event {
  readonly at: number;
  readonly tie: number;
  readonly run: () => void;
}

/**
 * The time and randomness of a simulation. Time jumps from one event to the next. The same seed
 * gives the same events in the same order.
 */
export class World {
  readonly random: Random;
  /** The network registers itself here. */
  network: Network | undefined;
  readonly #queue = new EventQueue<Event>();
  readonly #ties: Random;
  readonly #digest = createHash('sha1');
  /** Callbacks that run after the present event and before the next. */
  readonly #soon: (() => void)[] = [];
  readonly #lines: string[] = [];
  #now = 0;
  #events = 0;
  #instant = 0n;

  /** @param keepsLog whether {@link lines} are recorded, for people */
  constructor(
    readonly seed: number,
    private readonly keepsLog = false,
  ) {
    this.random = new Random(seed);
    this.#ties = this.random.fork();
  }

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  /** A time in nanoseconds that is later than any earlier result, even if no time has passed. */
  nextInstant(): bigint {
    const instant = BigInt(Math.round(this.#now * 1e6));
    this.#instant = instant > this.#instant ? instant : this.#instant + 1n;
    return this.#instant;
  }

  get events(): number {
    return this.#events;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Equal for two runs that noted the same events. */
  get digest(): string {
    return this.#digest.copy().digest('hex').slice(0, 16);
  }

  at(time: number, run: () => void): void {
    this.#queue.push({ at: Math.max(time, this.#now), tie: this.#ties.between(0, 0xffff), run });
  }

  after(ms: number, run: () => void): void {
    this.at(this.#now + ms, run);
  }

  /** Runs a callback before time advances. The order of several callbacks is random. */
  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** Runs all events until this time, or until `isOver` returns true. */
  runUntil(time: number, isOver: () => boolean = () => false): void {
    this.#runSoon();
    while (this.#queue.nextAt <= time && !isOver()) {
      const due = this.#queue.pop()!;
      this.#now = due.at;
      this.#events++;
      due.run();
      this.#runSoon();
    }
    if (!isOver()) this.#now = Math.max(this.#now, time);
  }

  /**
   * Records an event for the digest and the log.
   *
   * @param details for the log only
   */
  note(text: string, details = () => ''): void {
    const line = `${this.#now.toFixed(3)} ${text}`;
    this.#digest.update(line);
    if (this.keepsLog && this.#lines.length < MOST_LINES) this.#lines.push(line + details());
  }

  /** Adds bytes that were sent to the digest. */
  hash(bytes: Uint8Array): void {
    this.#digest.update(bytes);
  }

  #runSoon(): void {
    const soon = this.#soon;
    while (soon.length > 0) {
      const place = soon.length > 1 ? this.#ties.between(0, soon.length - 1) : 0;
      const run = soon[place]!;
      soon[place] = soon.at(-1)!;
      soon.pop();
      run();
    }
  }
}

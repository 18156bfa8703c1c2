import { createHash } from 'node:crypto';
import { Random } from '../../workers/soak/random.js';
import { EventQueue } from './event-queue.js';

const MOST_LINES = 200_000;

/**
 * Time and chance of a simulation. Nothing happens between two events: time jumps from one to the
 * next. The same seed gives the same events in the same order.
 */
export class World {
  readonly random: Random;
  readonly #queue = new EventQueue();
  readonly #ties: Random;
  readonly #hash = createHash('sha256');
  readonly #lines: string[] = [];
  #now = 0;
  #events = 0;
  #instant = 0n;

  /** @param keepsLog whether {@link lines} are kept, for people */
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

  /** In nanoseconds. Later than any one before, though no time passes between two events. */
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

  /** Equal for two runs in which the same was noted. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  at(time: number, run: () => void): void {
    this.#queue.push({ at: Math.max(time, this.#now), tie: this.#ties.between(0, 0xffff), run });
  }

  after(ms: number, run: () => void): void {
    this.at(this.#now + ms, run);
  }

  /** Lets everything happen until this time, or until `isOver` says so. */
  runUntil(time: number, isOver: () => boolean = () => false): void {
    while (this.#queue.nextAt <= time && !isOver()) {
      const due = this.#queue.pop()!;
      this.#now = due.at;
      this.#events++;
      due.run();
    }
    if (!isOver()) this.#now = Math.max(this.#now, time);
  }

  /** Writes down what happened, for the digest and for people. */
  note(text: string): void {
    const line = `${this.#now.toFixed(3)} ${text}`;
    this.#hash.update(line);
    if (this.keepsLog && this.#lines.length < MOST_LINES) this.#lines.push(line);
  }

  /** Adds bytes that were sent to the digest. */
  hash(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }
}

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
 * Time and chance of a simulation. Nothing happens between two events: time jumps from one to the
 * next. The same seed gives the same events in the same order.
 */
export class World {
  readonly random: Random;
  /** Set by itself. */
  network: Network | undefined;
  readonly #queue = new EventQueue<Event>();
  readonly #ties: Random;
  readonly #digest = createHash('sha1');
  /** What happens behind the event that happens now, and before the next. */
  readonly #soon: (() => void)[] = [];
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
    return this.#digest.copy().digest('hex').slice(0, 16);
  }

  at(time: number, run: () => void): void {
    this.#queue.push({ at: Math.max(time, this.#now), tie: this.#ties.between(0, 0xffff), run });
  }

  after(ms: number, run: () => void): void {
    this.at(this.#now + ms, run);
  }

  /** Happens before time goes on. Chance says in which order, where there are several. */
  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** Lets everything happen until this time, or until `isOver` says so. */
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
   * Writes down what happened, for the digest and for people.
   *
   * @param details for people alone
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

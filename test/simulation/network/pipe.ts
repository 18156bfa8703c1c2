import type { Network, Way } from './network.js';

interface Segment<T> {
  readonly content: T;
  readonly arrivesAt: number;
}

/**
 * One direction of a connection. It delivers everything in order. While the network is blocked,
 * nothing is lost: the data is sent again after the block ends, as by TCP.
 */
export class Pipe<T> {
  readonly #segments: Segment<T>[] = [];
  readonly #way: Way;
  #latestAt = 0;
  #isLost = false;
  #isWaiting = false;

  constructor(
    private readonly network: Network,
    from: string,
    to: string,
    private readonly deliver: (content: T) => void,
  ) {
    this.#way = network.way(from, to);
  }

  send(content: T): void {
    if (this.#isLost) return;
    const { network } = this;
    const { world } = network;
    const arrivesAt = Math.max(this.#latestAt, world.now + network.latencyMs(this.#way));
    this.#latestAt = arrivesAt;
    this.#segments.push({ content, arrivesAt });
    world.at(arrivesAt, this.#onDue);
  }

  /** Delays everything that is under way, or is sent from now on, by at least this time. */
  hold(ms: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.network.world.after(ms, () => {
      this.#isWaiting = false;
      this.#deliverAll();
    });
  }

  /** Drops everything that is under way or is sent from now on. Neither end notices. */
  lose(): void {
    this.#isLost = true;
    this.#segments.length = 0;
  }

  readonly #onDue = (): void => {
    const first = this.#segments[0];
    if (!first || this.#isWaiting || first.arrivesAt > this.network.world.now) return;
    if (this.#way.blocks > 0) {
      this.#isWaiting = true;
      this.#way.waiting.push(() => {
        this.#isWaiting = false;
        this.#deliverAll();
      });
      return;
    }
    this.#segments.shift();
    this.deliver(first.content);
  };

  #deliverAll(): void {
    const { now } = this.network.world;
    while ((this.#segments[0]?.arrivesAt ?? Infinity) <= now && !this.#isWaiting) this.#onDue();
  }
}

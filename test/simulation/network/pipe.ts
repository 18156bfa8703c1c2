import type { Network, Way } from './network.js';

interface Segment<T> {
  readonly content: T;
  readonly arrivesAt: number;
}

/**
 * One direction of a connection: what goes in comes out in the same order, later. While the way is
 * blocked, nothing is lost: it is sent again once the way is free, as TCP does.
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

  /** What is under way, or sent meanwhile, arrives this much later at the earliest. */
  hold(ms: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.network.world.after(ms, () => {
      this.#isWaiting = false;
      this.#deliverAll();
    });
  }

  /** Loses all that is under way, and whatever is sent from now on. No end hears of it. */
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

import type { NodeStat } from 'zk-client/recipes';

/** How far a clock may be ahead before it is corrected, because it takes time until a change is reported. */
const AHEAD_MS = 1_000;

/**
 * Estimates ZooKeeper's clock from the times of its nodes. It is this process's clock, unless a node is
 * younger, or a change that was reported as it happened shows that this process's clock is ahead.
 */
export class TreeClock {
  /** The minimum by which it is ahead of `performance.now()`. */
  #least = -Infinity;
  /** The same, from changes that were reported as they happened, so it is hardly more. */
  #told = -Infinity;

  /** The current time, in milliseconds since 1970. */
  now(): number {
    const here = performance.now();
    const own = Date.now() - here;
    const isAhead = this.#told > -Infinity && own > this.#told + AHEAD_MS;
    return Math.round(Math.max(isAhead ? this.#told : own, this.#least) + here);
  }

  /** @param toldAt when the latest change of the node was reported, by `performance.now()` */
  note({ ctime, mtime }: Pick<NodeStat, 'ctime' | 'mtime'>, toldAt?: number): void {
    const latest = Math.max(ctime.getTime(), mtime.getTime());
    this.#least = Math.max(this.#least, latest - performance.now());
    if (toldAt !== undefined) this.#told = Math.max(this.#told, latest - toldAt);
  }

  /**
   * Called after a time without a connection, in which this process may have been paused, its clock set, or
   * another server may have become the leader.
   */
  forget(): void {
    this.#told = this.#least = -Infinity;
  }
}

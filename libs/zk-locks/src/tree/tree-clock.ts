import type { NodeStat } from 'zk-client/recipes';

/** By so much a clock may be ahead before it is not believed: the way of a change to here takes time. */
const AHEAD_MS = 1_000;

/**
 * The clock of ZooKeeper, as far as the times on its nodes tell: that of this process, unless a node is
 * younger, or a change that was told as it happened shows that this process's clock is ahead.
 */
export class TreeClock {
  /** How far it is at least ahead of `performance.now()`. */
  #least = -Infinity;
  /** The same, by changes that were told as they happened: it is hardly more. */
  #told = -Infinity;

  /** In milliseconds since 1970. */
  now(): number {
    const here = performance.now();
    const own = Date.now() - here;
    const isAhead = this.#told > -Infinity && own > this.#told + AHEAD_MS;
    return Math.round(Math.max(isAhead ? this.#told : own, this.#least) + here);
  }

  /** @param toldAt when the latest change of the node was told, by `performance.now()` */
  note({ ctime, mtime }: Pick<NodeStat, 'ctime' | 'mtime'>, toldAt?: number): void {
    const latest = Math.max(ctime.getTime(), mtime.getTime());
    this.#least = Math.max(this.#least, latest - performance.now());
    if (toldAt !== undefined) this.#told = Math.max(this.#told, latest - toldAt);
  }

  /** While there was no connection, this process may have been paused, and its clock set. */
  forget(): void {
    this.#told = -Infinity;
  }
}

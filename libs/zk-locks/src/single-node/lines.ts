import type { Wait } from 'zk-client/recipes';

/**
 * The calls of one process that want the same lock: one has its turn at a time, in order of
 * arrival.
 */
export class Lines {
  /**
   * The calls behind the one whose turn it is. In a set, the first is found and any is deleted in
   * constant time.
   */
  readonly #byName = new Map<string, Set<() => void>>();

  /** @throws the error of `wait` once that is over, and whatever `work` throws */
  async inTurn<T>(name: string, wait: Wait, work: () => Promise<T>): Promise<T> {
    const line = this.#byName.get(name);
    if (line) await this.#waitForTurn(name, line, wait);
    else this.#byName.set(name, new Set());
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  async #waitForTurn(name: string, line: Set<() => void>, wait: Wait): Promise<void> {
    wait.blocked();
    let begin: (() => void) | undefined;
    const turn = new Promise<void>((resolve) => line.add((begin = resolve)));
    try {
      await wait.for(turn);
    } catch (error) {
      // Its turn may have begun at the same moment.
      if (begin && !line.delete(begin)) this.#leave(name);
      throw error;
    }
  }

  #leave(name: string): void {
    const line = this.#byName.get(name);
    const [next] = line ?? [];
    if (next) {
      line?.delete(next);
      next();
    } else {
      this.#byName.delete(name);
    }
  }
}

import type { Entry } from './entry.js';

/** All entries, in the order of their zxids. They are on the disk as soon as they are here. */
export class Log {
  #entries: Entry[] = [];

  /** The zxid of the last entry; 0 without any. */
  get lastZxid(): number {
    return this.#entries.at(-1)?.zxid ?? 0;
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
  }

  has(zxid: number): boolean {
    return this.before(zxid + 1) === zxid;
  }

  /** The last zxid that is below this one. */
  before(zxid: number): number {
    return this.#entries[this.#indexAfter(zxid - 1) - 1]?.zxid ?? 0;
  }

  after(zxid: number): Entry[] {
    return this.#entries.slice(this.#indexAfter(zxid));
  }

  truncateTo(zxid: number): void {
    this.#entries.length = this.#indexAfter(zxid);
  }

  /** Takes another server's entries in place of its own. */
  replaceBy(entries: readonly Entry[]): void {
    this.#entries = [...entries];
  }

  /** The index of the first entry above a zxid. */
  #indexAfter(zxid: number): number {
    const entries = this.#entries;
    let low = 0;
    let high = entries.length;
    if (high > 0 && entries[high - 1]!.zxid <= zxid) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (entries[middle]!.zxid <= zxid) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

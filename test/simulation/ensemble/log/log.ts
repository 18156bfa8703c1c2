import type { Entry } from './entry.js';

/** Entries in the order of their zxids, without those before a snapshot. They are on the disk as soon as they are here. */
export class Log {
  #entries: Entry[] = [];
  /** The zxid before the first entry. */
  #base = 0;

  /** The zxid of the last entry, or the one before all entries. */
  get lastZxid(): number {
    return this.#entries.at(-1)?.zxid ?? this.#base;
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
  }

  has(zxid: number): boolean {
    return this.before(zxid + 1) === zxid;
  }

  /** The last zxid that is below this one; undefined where the log does not go back so far. */
  before(zxid: number): number | undefined {
    const found = this.#entries[this.#indexAfter(zxid - 1) - 1]?.zxid;
    return found ?? (zxid > this.#base ? this.#base : undefined);
  }

  after(zxid: number): Entry[] {
    return this.#entries.slice(this.#indexAfter(zxid));
  }

  truncateTo(zxid: number): void {
    this.#entries.length = this.#indexAfter(zxid);
  }

  /** Forgets the entries up to this zxid. */
  forgetTo(zxid: number): void {
    this.#entries.splice(0, this.#indexAfter(zxid));
    this.#base = Math.max(zxid, this.#base);
  }

  /** Begins again behind a snapshot. */
  restartAt(zxid: number): void {
    this.#entries = [];
    this.#base = zxid;
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

import type { Entry } from './entry.js';

/** Entries since the last snapshot, in the order of their zxids. They are on disk at once. */
export class Log {
  #entries: Entry[] = [];
  /** The zxid that precedes the first entry. */
  #base = 0;

  /** The zxid of the last entry, or the one that precedes all entries. */
  get lastZxid(): number {
    return this.#entries.at(-1)?.zxid ?? this.#base;
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
  }

  has(zxid: number): boolean {
    return this.before(zxid + 1) === zxid;
  }

  /** The greatest zxid below this one, or undefined if the log does not go back that far. */
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

  /** Removes the entries up to this zxid. */
  forgetTo(zxid: number): void {
    this.#entries.splice(0, this.#indexAfter(zxid));
    this.#base = Math.max(zxid, this.#base);
  }

  /** Empties the log after a snapshot with this zxid. */
  restartAt(zxid: number): void {
    this.#entries = [];
    this.#base = zxid;
  }

  /** The index of the first entry with a greater zxid. */
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

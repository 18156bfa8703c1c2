import type { Entry } from './entry.js';

/** Entries in the order of their zxids, without those that a snapshot has made superfluous. */
export class Log {
  #entries: Entry[] = [];
  /** How many of the entries are on the disk. */
  #safe = 0;
  /** The zxid before the first entry. */
  #base = 0;

  /** The zxid of the last entry, or the one before all entries. */
  get lastZxid(): number {
    return this.#entries.at(-1)?.zxid ?? this.#base;
  }

  get base(): number {
    return this.#base;
  }

  get length(): number {
    return this.#entries.length;
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
  }

  has(zxid: number): boolean {
    return this.#entries[this.#indexAfter(zxid) - 1]?.zxid === zxid || zxid === this.#base;
  }

  /** The last zxid that is below this one; undefined where the log does not go back so far. */
  before(zxid: number): number | undefined {
    const index = this.#indexAfter(zxid - 1) - 1;
    if (index >= 0) return this.#entries[index]!.zxid;
    return zxid > this.#base ? this.#base : undefined;
  }

  after(zxid: number): Entry[] {
    return this.#entries.slice(this.#indexAfter(zxid));
  }

  /** All entries are on the disk now; returns those that were not before. */
  secure(): Entry[] {
    const entries = this.#entries.slice(this.#safe);
    this.#safe = this.#entries.length;
    return entries;
  }

  /** As a crash does to what was not on the disk. */
  loseUnsafe(): void {
    this.#entries.length = this.#safe;
  }

  truncateTo(zxid: number): void {
    this.#entries.length = this.#indexAfter(zxid);
    this.#safe = Math.min(this.#safe, this.#entries.length);
  }

  /** Forgets the entries up to this zxid. */
  forgetTo(zxid: number): void {
    const count = this.#indexAfter(zxid);
    this.#entries.splice(0, count);
    this.#safe = Math.max(0, this.#safe - count);
    this.#base = zxid;
  }

  /** Begins again behind a snapshot. */
  restartAt(zxid: number): void {
    this.#entries = [];
    this.#safe = 0;
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

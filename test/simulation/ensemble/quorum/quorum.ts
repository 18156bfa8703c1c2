/** Servers that have agreed, until they are a majority. */
export class Quorum {
  readonly #ids = new Set<number>();

  constructor(private readonly majority: number) {}

  get isReached(): boolean {
    return this.#ids.size >= this.majority;
  }

  /** True for the one that completes the majority. */
  add(id: number): boolean {
    if (this.isReached) return false;
    this.#ids.add(id);
    return this.isReached;
  }
}

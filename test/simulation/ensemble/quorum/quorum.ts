/** Collects the servers that agree until they are a majority. */
export class Quorum {
  readonly #ids = new Set<number>();

  constructor(private readonly majority: number) {}

  get isReached(): boolean {
    return this.#ids.size >= this.majority;
  }

  /** Returns true for the server that completes the majority. */
  add(id: number): boolean {
    if (this.isReached) return false;
    this.#ids.add(id);
    return this.isReached;
  }
}

const BASE = 0x811c_9dc5;
const ONE_PRIME = 0x0100_0193;
const OTHER_PRIME = 0x01b3_4a5d;

/** Two sums of 32 bits, in the manner of FNV-1a: they tell two stories apart, and cost little. */
export class Digest {
  #one = BASE;
  #other = BASE;

  addBytes(bytes: Uint8Array): void {
    let one = this.#one;
    let other = this.#other;
    for (const byte of bytes) {
      one = Math.imul(one ^ byte, ONE_PRIME);
      other = Math.imul(other ^ byte, OTHER_PRIME);
    }
    this.#one = one;
    this.#other = other;
  }

  addText(text: string): void {
    let one = this.#one;
    let other = this.#other;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, ONE_PRIME);
      other = Math.imul(other ^ code, OTHER_PRIME);
    }
    this.#one = one;
    this.#other = other;
  }

  /** @param value as far as a microsecond, if it is a time in milliseconds */
  addNumber(value: number): void {
    const micros = Math.round(value * 1_000);
    this.#one = Math.imul(this.#one ^ micros, ONE_PRIME);
    this.#other = Math.imul(this.#other ^ micros, OTHER_PRIME);
  }

  toString(): string {
    return [this.#one, this.#other]
      .map((sum) => (sum >>> 0).toString(16).padStart(8, '0'))
      .join('');
  }
}

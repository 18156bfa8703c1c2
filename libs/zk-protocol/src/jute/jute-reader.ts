import { ProtocolError } from '../protocol-error.js';

/**
 * Reads jute's primitives one after the other, big-endian. A length of -1 stands for null.
 *
 * Every method throws a {@link ProtocolError} where the bytes end too early.
 */
export class JuteReader {
  constructor(
    private readonly bytes: Buffer,
    private offset = 0,
  ) {}

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  /** Any byte but 0 is true, as for Java's `DataInput`. */
  bool(): boolean {
    return this.bytes.readUInt8(this.#advance(1)) !== 0;
  }

  int(): number {
    return this.bytes.readInt32BE(this.#advance(4));
  }

  long(): bigint {
    return this.bytes.readBigInt64BE(this.#advance(8));
  }

  /** A view of the bytes, not a copy. */
  buffer(): Buffer | null {
    const length = this.#length();
    if (length === -1) return null;
    const start = this.#advance(length);
    return this.bytes.subarray(start, start + length);
  }

  /**
   * What is not UTF-8 becomes U+FFFD, as in Java. So do characters beyond U+FFFF from Java, which
   * writes them as two surrogates of three bytes each, and does not read that itself.
   */
  ustring(): string | null {
    const length = this.#length();
    if (length === -1) return null;
    const start = this.#advance(length);
    return this.bytes.toString('utf8', start, start + length);
  }

  /** The number of elements that follow, which is never more than the bytes that are left. */
  count(): number | null {
    const count = this.#length();
    if (count > this.remaining) {
      throw new ProtocolError(
        'TRUNCATED',
        `${count} elements do not fit into ${this.remaining} bytes`,
      );
    }
    return count === -1 ? null : count;
  }

  #length(): number {
    const length = this.int();
    if (length < -1) throw new ProtocolError('BAD_LENGTH', `a length of ${length}`);
    return length;
  }

  #advance(size: number): number {
    const start = this.offset;
    if (size > this.bytes.length - start) {
      throw new ProtocolError(
        'TRUNCATED',
        `${size} bytes wanted at ${start}, and there are ${this.remaining}`,
      );
    }
    this.offset = start + size;
    return start;
  }
}

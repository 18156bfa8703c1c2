import { ProtocolError } from '../protocol-error.js';

/**
 * Limit of one frame: a million names are read in half a second, and the time grows with their
 * number.
 */
const MAX_ELEMENTS = 1_048_576;

/**
 * Reads jute's primitives one after the other, big-endian. A length of -1 stands for null.
 *
 * Every method throws a {@link ProtocolError} if the bytes end too early.
 */
export class JuteReader {
  #elements = 0;

  constructor(
    private readonly bytes: Buffer,
    private offset = 0,
  ) {}

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  /** Any byte but 0 is true, as in Java's `DataInput`. */
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
   * Bytes that are not UTF-8 become U+FFFD, as in Java. So do characters beyond U+FFFF from Java,
   * which writes them as two surrogates of three bytes each, and cannot read them itself.
   */
  ustring(): string | null {
    const length = this.#length();
    if (length === -1) return null;
    const start = this.#advance(length);
    return this.bytes.toString('utf8', start, start + length);
  }

  /**
   * The number of elements that follow; it is never greater than the number of bytes left.
   *
   * @throws {ProtocolError} also if all lists together have more than 1,048,576 elements
   */
  count(): number | null {
    const count = this.#length();
    if (count > this.remaining) {
      throw new ProtocolError(
        'TRUNCATED',
        `${count} elements do not fit into ${this.remaining} bytes`,
      );
    }
    if (count === -1) return null;
    this.countElements(count);
    return count;
  }

  /** @throws {ProtocolError} `BAD_LENGTH` from 1,048,577 elements on, in all lists together */
  countElements(count: number): void {
    this.#elements += count;
    if (this.#elements <= MAX_ELEMENTS) return;
    throw new ProtocolError('BAD_LENGTH', `more than ${MAX_ELEMENTS} elements in one frame`);
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
        `${size} bytes expected at ${start}, but only ${this.remaining} are left`,
      );
    }
    this.offset = start + size;
    return start;
  }
}

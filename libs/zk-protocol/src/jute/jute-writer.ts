import { ProtocolError } from '../protocol-error.js';

const INT_MIN = -0x8000_0000;
const INT_MAX = 0x7fff_ffff;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Writes jute's primitives one after the other, big-endian, into a buffer that grows. */
export class JuteWriter {
  #bytes: Buffer;
  #end = 0;

  /** @param capacity bytes to begin with @default 128 */
  constructor(capacity = 128) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  bool(value: boolean): void {
    const start = this.#advance(1);
    this.#bytes.writeUInt8(value ? 1 : 0, start);
  }

  int(value: number): void {
    if (!Number.isInteger(value) || value < INT_MIN || value > INT_MAX) {
      throw new ProtocolError('BAD_VALUE', `${value} is not a 32-bit integer`);
    }
    const start = this.#advance(4);
    this.#bytes.writeInt32BE(value, start);
  }

  long(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) {
      throw new ProtocolError('BAD_VALUE', `${value} is not a 64-bit integer`);
    }
    const start = this.#advance(8);
    this.#bytes.writeBigInt64BE(value, start);
  }

  buffer(value: Uint8Array | null): void {
    if (value === null) {
      this.int(-1);
      return;
    }
    this.int(value.length);
    const start = this.#advance(value.length);
    this.#bytes.set(value, start);
  }

  /** Appends a record that was encoded before. */
  raw(bytes: Uint8Array): void {
    const start = this.#advance(bytes.length);
    this.#bytes.set(bytes, start);
  }

  ustring(value: string | null): void {
    if (value === null) {
      this.int(-1);
      return;
    }
    const length = Buffer.byteLength(value);
    // It would become U+FFFD, so that two different paths would become the same one.
    if (length !== value.length && LONE_SURROGATE.test(value)) {
      throw new ProtocolError('BAD_VALUE', `half a surrogate pair in ${JSON.stringify(value)}`);
    }
    this.int(length);
    const start = this.#advance(length);
    this.#bytes.write(value, start, 'utf8');
  }

  /** A copy of the bytes written. */
  copy(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#end);
    this.#bytes.copy(bytes, 0, 0, this.#end);
    return bytes;
  }

  /** The bytes written, as a view; only {@link patchInt} changes it later. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Overwrites an int that was written before. */
  patchInt(offset: number, value: number): void {
    this.#bytes.writeInt32BE(value, offset);
  }

  get length(): number {
    return this.#end;
  }

  /** Discards the bytes after the first `length`. */
  truncate(length: number): void {
    this.#end = Math.min(length, this.#end);
  }

  /** Call it before `#bytes` is used: it may replace the buffer. */
  #advance(size: number): number {
    const start = this.#end;
    const end = start + size;
    if (end > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, start);
      this.#bytes = grown;
    }
    this.#end = end;
    return start;
  }
}

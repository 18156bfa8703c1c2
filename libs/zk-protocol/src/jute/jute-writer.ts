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
      throw new ProtocolError('BAD_VALUE', `${value} is no 32-bit integer`);
    }
    const start = this.#advance(4);
    this.#bytes.writeInt32BE(value, start);
  }

  long(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) {
      throw new ProtocolError('BAD_VALUE', `${value} is no 64-bit integer`);
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

  /** Bytes as they are: a record that was written before. */
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
    // It would become U+FFFD, and two different paths the same one.
    if (length !== value.length && LONE_SURROGATE.test(value)) {
      throw new ProtocolError('BAD_VALUE', `half a surrogate pair in ${JSON.stringify(value)}`);
    }
    this.int(length);
    const start = this.#advance(length);
    this.#bytes.write(value, start, 'utf8');
  }

  /** What was written, in a buffer of its own. */
  copy(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#end);
    this.#bytes.copy(bytes, 0, 0, this.#end);
    return bytes;
  }

  /** What was written; a view that no later write changes, unless it goes through {@link patchInt}. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Writes over an int that was written before. */
  patchInt(offset: number, value: number): void {
    this.#bytes.writeInt32BE(value, offset);
  }

  get length(): number {
    return this.#end;
  }

  /** Takes back what was written behind the first `length` bytes. */
  truncate(length: number): void {
    this.#end = Math.min(length, this.#end);
  }

  /** Call it before `#bytes` is looked at: it may put another buffer there. */
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

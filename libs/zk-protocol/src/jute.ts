import { ProtocolError } from './protocol-error.js';

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

  /** @throws {ProtocolError} `TOO_LONG` from 1,048,577 elements on, in all lists together */
  countElements(count: number): void {
    this.#elements += count;
    if (this.#elements <= MAX_ELEMENTS) return;
    throw new ProtocolError('TOO_LONG', `more than ${MAX_ELEMENTS} elements in one frame`);
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

/** Reads and writes one type of value. */
export interface Codec<T> {
  /** @throws {ProtocolError} if the bytes do not hold such a value */
  read(reader: JuteReader): T;
  /** @throws {ProtocolError} if the value cannot be written */
  write(writer: JuteWriter, value: T): void;
}

/** The type of the values of a codec. */
export type Jute<C> = C extends Codec<infer T> ? T : never;

export const bool: Codec<boolean> = {
  read: (reader) => reader.bool(),
  write: (writer, value) => writer.bool(value),
};

export const int: Codec<number> = {
  read: (reader) => reader.int(),
  write: (writer, value) => writer.int(value),
};

export const long: Codec<bigint> = {
  read: (reader) => reader.long(),
  write: (writer, value) => writer.long(value),
};

export const ustring: Codec<string> = {
  read: (reader) => notNull(reader.ustring(), 'string'),
  write: (writer, value) => writer.ustring(value),
};

export const nullableUstring: Codec<string | null> = {
  read: (reader) => reader.ustring(),
  write: (writer, value) => writer.ustring(value),
};

/** Null and empty differ: a node may be created without data. */
export const buffer: Codec<Buffer | null> = {
  read: (reader) => reader.buffer(),
  write: (writer, value) => writer.buffer(value),
};

/** A record without fields. */
export const nothing: Codec<undefined> = {
  read: () => undefined,
  write: () => undefined,
};

/** Null is read as an empty list, because clients send both. */
export function vector<T>(element: Codec<T>): Codec<readonly T[]> {
  return {
    read: (reader) => {
      const count = reader.count() ?? 0;
      const values: T[] = [];
      for (let i = 0; i < count; i++) values.push(element.read(reader));
      return values;
    },
    write: (writer, values) => {
      writer.int(values.length);
      for (const value of values) element.write(writer, value);
    },
  };
}

type Fields = Readonly<Record<string, Codec<unknown>>>;
type RecordOf<F extends Fields> = { readonly [Name in keyof F]: Jute<F[Name]> };

/** Fields one after the other, in the given order. */
export function record<F extends Fields>(fields: F): Codec<RecordOf<F>> {
  const entries = Object.entries(fields);
  return {
    read: (reader) => {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of entries) value[name] = codec.read(reader);
      return value as RecordOf<F>;
    },
    write: (writer, value) => {
      for (const [name, codec] of entries) codec.write(writer, value[name]);
    },
  };
}

function notNull<T>(value: T | null, what: string): T {
  if (value === null) throw new ProtocolError('BAD_VALUE', `null instead of a ${what}`);
  return value;
}

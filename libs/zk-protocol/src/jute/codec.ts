import { ProtocolError } from '../protocol-error.js';
import type { JuteReader } from './jute-reader.js';
import type { JuteWriter } from './jute-writer.js';

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

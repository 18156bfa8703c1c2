import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from './packets.js';
import { bytes, int32, int64, nullableText } from './testing/arbitraries.js';
import { seed } from './testing/seed.js';
import {
  bool,
  buffer,
  type Codec,
  int,
  JuteReader,
  JuteWriter,
  long,
  nullableUstring,
  ustring,
  vector,
} from './jute.js';

const hex = <T>(codec: Codec<T>, value: T): string => encode(codec, value).toString('hex');
const fromHex = <T>(codec: Codec<T>, value: string): T => decode(codec, Buffer.from(value, 'hex'));
const badValue = expect.objectContaining({ name: 'ProtocolError', code: 'BAD_VALUE' }) as unknown;
const badLength = expect.objectContaining({ name: 'ProtocolError', code: 'BAD_LENGTH' }) as unknown;
const truncated = expect.objectContaining({ name: 'ProtocolError', code: 'TRUNCATED' }) as unknown;

describe("the writer is big-endian, like Java's", () => {
  it.each([
    { codec: bool, value: true, bytes: '01' },
    { codec: bool, value: false, bytes: '00' },
    { codec: int, value: 0, bytes: '00000000' },
    { codec: int, value: -1, bytes: 'ffffffff' },
    { codec: int, value: 0x7fff_ffff, bytes: '7fffffff' },
    { codec: int, value: -0x8000_0000, bytes: '80000000' },
    { codec: long, value: 0x1_0000_0002n, bytes: '0000000100000002' },
    { codec: long, value: 2n ** 63n - 1n, bytes: '7fffffffffffffff' },
    { codec: long, value: -(2n ** 63n), bytes: '8000000000000000' },
    { codec: buffer, value: null, bytes: 'ffffffff' },
    { codec: buffer, value: Buffer.alloc(0), bytes: '00000000' },
    { codec: buffer, value: Buffer.from([0, 255]), bytes: '0000000200ff' },
    { codec: nullableUstring, value: null, bytes: 'ffffffff' },
    { codec: ustring, value: '', bytes: '00000000' },
    { codec: ustring, value: '/é€', bytes: '000000062fc3a9e282ac' },
    { codec: ustring, value: '\u{1f512}', bytes: '00000004f09f9492' },
    { codec: ustring, value: '\u0000', bytes: '0000000100' },
    { codec: vector(int), value: [], bytes: '00000000' },
    { codec: vector(ustring), value: ['a', ''], bytes: '000000020000000161' + '00000000' },
  ] as { codec: Codec<unknown>; value: unknown; bytes: string }[])(
    '$value is $bytes, and back',
    ({ codec, value, bytes: expected }) => {
      expect(hex(codec, value)).toBe(expected);
      expect(fromHex(codec, expected)).toEqual(value);
    },
  );
});

describe('the reader', () => {
  it('reads any byte but 0 as true, as Java does', () => {
    expect(fromHex(bool, '02')).toBe(true);
    expect(fromHex(bool, 'ff')).toBe(true);
  });

  it('refuses null where a record has to have a string', () => {
    expect(() => fromHex(ustring, 'ffffffff')).toThrow(badValue);
  });

  it.each(['fffffffe', '80000000'])('refuses the length %s', (length) => {
    for (const codec of [buffer, ustring, vector(int)] as Codec<unknown>[]) {
      expect(() => fromHex(codec, `${length}00`)).toThrow(badLength);
    }
  });

  it('turns bytes that are not UTF-8 into U+FFFD, such as surrogates from Java', () => {
    const surrogatesOfJava = '00000006eda0bdedb492';
    expect(fromHex(ustring, surrogatesOfJava)).toMatch(/^\ufffd+$/);
  });

  it('reads no element of a vector whose length is impossible', () => {
    let reads = 0;
    const element: Codec<number> = {
      read: (reader) => (reads++, reader.int()),
      write: () => undefined,
    };
    expect(() => fromHex(vector(element), '7fffffff' + '00'.repeat(16))).toThrow(truncated);
    expect(reads).toBe(0);
  });
});

describe('an invalid value', () => {
  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, -(2 ** 31) - 1])(
    'is refused as a bad value: the int %d',
    (value) => {
      expect(() => encode(int, value)).toThrow(badValue);
    },
  );

  it.each([2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n])(
    'is refused as a bad value: the long %d',
    (value) => {
      expect(() => encode(long, value)).toThrow(badValue);
    },
  );

  it.each(['\ud83d', '\udd12', 'a\ud83d/b', '\udd12\ud83d'])(
    'is refused as a bad value: a string with half a surrogate pair, %j',
    (value) => {
      expect(() => encode(ustring, value)).toThrow(badValue);
      expect(() => encode(nullableUstring, value)).toThrow(badValue);
    },
  );
});

describe(`any values, with seed ${seed}`, () => {
  const primitive = fc.oneof(
    fc.record({ write: fc.constant('bool' as const), value: fc.boolean() }),
    fc.record({ write: fc.constant('int' as const), value: int32 }),
    fc.record({ write: fc.constant('long' as const), value: int64 }),
    fc.record({ write: fc.constant('buffer' as const), value: fc.option(bytes) }),
    fc.record({ write: fc.constant('ustring' as const), value: nullableText }),
  );

  it('are read in the order in which they were written, for any capacity of the writer', () => {
    fc.assert(
      fc.property(fc.array(primitive, { maxLength: 30 }), fc.nat(64), (values, capacity) => {
        const writer = new JuteWriter(capacity);
        for (const { write, value } of values) writer[write](value as never);
        const reader = new JuteReader(writer.finish());
        for (const { write, value } of values) expect(reader[write]()).toEqual(value);
        expect(reader.remaining).toBe(0);
      }),
      { seed, numRuns: 1_000 },
    );
  });
});

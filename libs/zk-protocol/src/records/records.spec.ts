import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JuteReader } from '../jute.js';
import { decode, encode } from '../packets.js';
import { ProtocolError } from '../protocol-error.js';
import { allCodecs } from '../testing/arbitraries.js';
import { seed } from '../testing/seed.js';

describe.each(allCodecs)(`$name, with seed ${seed}`, ({ codec, values }) => {
  it('is read as it was written, to its last byte', () => {
    fc.assert(
      fc.property(values, (value) => {
        const reader = new JuteReader(encode(codec, value));
        expect(codec.read(reader)).toEqual(value);
        expect(reader.remaining).toBe(0);
      }),
      { seed },
    );
  });

  it('is truncated wherever its bytes end early', () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = encode(codec, value);
        for (let end = 0; end < bytes.length; end++) {
          if (isWithoutReadOnly(value, bytes.length - end)) continue;
          expect(codeOf(() => decode(codec, bytes.subarray(0, end)))).toBe('TRUNCATED');
        }
      }),
      { seed, numRuns: 25 },
    );
  });
});

/** A connect record that ends before `readOnly` is an old one. */
function isWithoutReadOnly(value: unknown, missing: number): boolean {
  return missing === 1 && typeof value === 'object' && value !== null && 'readOnly' in value;
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof ProtocolError ? error.code : String(error);
  }
  return 'nothing was thrown';
}

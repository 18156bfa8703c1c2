import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader } from './framing.js';
import { encode } from './packets.js';
import { JuteReader } from './jute.js';
import { ProtocolError } from './protocol-error.js';
import { allCodecs, type CodecUnderTest } from './testing/arbitraries.js';
import { randomNumbers, seed } from './testing/seed.js';

const RANDOM_CASES = 2_000;
const SAMPLES = 12;
const LENGTHS = [0x7fff_ffff, 0x7fff_fffe, 0x0010_0000, 0xffff, -1, -2, -0x8000_0000];

let cases = 0;

describe.each(allCodecs)(`$name reads, with seed ${seed},`, (underTest) => {
  const random = randomNumbers(seed);
  const samples = fc
    .sample(underTest.values, { seed, numRuns: SAMPLES })
    .map((value) => encode(underTest.codec, value));

  it('random bytes, or throws a ProtocolError', () => {
    for (let i = 0; i < RANDOM_CASES; i++) {
      const bytes = Buffer.alloc(random(96));
      // Small numbers are more likely to be read as lengths that fit.
      const most = random(2) === 0 ? 256 : 3;
      for (let at = 0; at < bytes.length; at++) bytes[at] = random(4) === 0 ? random(most) : 0;
      readsOrRefuses(underTest, bytes);
    }
  });

  it('valid packets with a number replaced by a wild one, or throws a ProtocolError', () => {
    for (const sample of samples) {
      for (let at = 0; at + 4 <= sample.length; at++) {
        for (const length of LENGTHS) {
          const bytes = Buffer.from(sample);
          bytes.writeInt32BE(length, at);
          readsOrRefuses(underTest, bytes);
        }
      }
    }
  });
});

describe(`FrameReader reads, with seed ${seed},`, () => {
  it('random bytes in random pieces, or throws a ProtocolError', () => {
    const random = randomNumbers(seed);
    for (let i = 0; i < 20_000; i++) {
      const reader = new FrameReader(64);
      let [came, given] = [0, 0];
      cases++;
      try {
        for (let piece = 0; piece < 5; piece++) {
          const bytes = Buffer.alloc(random(40));
          for (let at = 0; at < bytes.length; at++) bytes[at] = random(6) === 0 ? random(64) : 0;
          came += bytes.length;
          for (const found of reader.read(bytes)) given += 4 + found.length;
        }
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
      }
      if (given > came) expect.unreachable(`${given} bytes of frames from ${came}`);
    }
  });
});

it('were some hundred thousand cases', () => {
  expect(cases).toBeGreaterThan(300_000);
});

/**
 * @throws {Error} for a value bigger than its bytes, and for an error that is not a `ProtocolError`
 */
function readsOrRefuses({ codec }: CodecUnderTest, bytes: Buffer): void {
  cases++;
  const reader = new JuteReader(bytes);
  let value: unknown;
  try {
    value = codec.read(reader);
  } catch (error) {
    if (error instanceof ProtocolError) return;
    throw new Error(`${String(error)} from ${bytes.toString('hex')}`, { cause: error });
  }
  const size = sizeOf(value);
  if (size > bytes.length - reader.remaining) {
    expect.unreachable(`a value of ${size} from ${bytes.toString('hex')}`);
  }
}

/** The fewest bytes that encode such a value: an absurd count or length would need more. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + 1 + sizeOf(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + sizeOf(one), 0);
}

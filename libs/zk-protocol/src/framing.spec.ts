import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_MAX_FRAME_BYTES, FrameReader } from './framing.js';
import { seed } from './testing/seed.js';

const badLength = expect.objectContaining({ name: 'ProtocolError', code: 'BAD_LENGTH' }) as unknown;
const tooLong = expect.objectContaining({ name: 'ProtocolError', code: 'TOO_LONG' }) as unknown;

afterEach(() => {
  vi.restoreAllMocks();
});

describe(`FrameReader, with seed ${seed}`, () => {
  const bodies = fc.array(
    fc.uint8Array({ maxLength: 300 }).map((body) => Buffer.from(body)),
    {
      maxLength: 12,
    },
  );
  const cuts = fc.array(fc.nat(400), { minLength: 1 });

  it('finds all frames, however their stream is cut into pieces', () => {
    fc.assert(
      fc.property(bodies, cuts, (wanted, sizes) => {
        const reader = new FrameReader();
        const found = pieces(streamOf(wanted), sizes).flatMap((piece) => [...reader.read(piece)]);
        expect(found).toEqual(wanted);
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('accepts a frame of the longest allowed length, and refuses one byte more', () => {
    const longest = Buffer.alloc(DEFAULT_MAX_FRAME_BYTES);
    const found = [...new FrameReader().read(streamOf([longest]))];
    expect(found.map((bytes) => bytes.equals(longest))).toEqual([true]);
    expect([...new FrameReader(3).read(streamOf([Buffer.from('abc')]))]).toHaveLength(1);
    const longer = streamOf([Buffer.alloc(DEFAULT_MAX_FRAME_BYTES + 1)]);
    expect(() => [...new FrameReader().read(longer)]).toThrow(tooLong);
  });

  it.each([
    ['00100000', tooLong],
    ['7fffffff', tooLong],
    ['ffffffff', badLength],
    ['80000000', badLength],
  ])('refuses the length %s before its bytes arrive, even in pieces', (length, refusal) => {
    const reader = new FrameReader();
    const bytes = Buffer.from(length, 'hex');
    expect([...reader.read(bytes.subarray(0, 3))]).toEqual([]);
    expect(() => [...reader.read(bytes.subarray(3))]).toThrow(refusal);
  });

  it('skips frames that are too long if it is told to, and finds all others', () => {
    fc.assert(
      fc.property(bodies, cuts, (all, sizes) => {
        const skipped: string[] = [];
        const skips = ({ code }: Error & { code: string }): boolean => skipped.push(code) > 0;
        const reader = new FrameReader(100, skips);
        const found = pieces(streamOf(all), sizes).flatMap((piece) => [...reader.read(piece)]);
        expect(found).toEqual(all.filter(({ length }) => length <= 100));
        expect(skipped).toEqual(all.filter(({ length }) => length > 100).map(() => 'TOO_LONG'));
        expect(reader.isSkipping).toBe(false);
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('keeps no byte of a frame that it skips', () => {
    const reader = new FrameReader(3, () => true);
    expect([...reader.read(Buffer.from('7fffffff', 'hex'))]).toEqual([]);
    const piece = Buffer.alloc(10_000);
    const allocated = allocatedWhile(() => {
      for (let i = 0; i < 100; i++) expect([...reader.read(piece)]).toEqual([]);
    });
    expect(allocated).toBe(0);
    expect(reader.isSkipping).toBe(true);
  });

  it('returns the frames before a bad length, and refuses everything after it', () => {
    const reader = new FrameReader();
    const found: string[] = [];
    const stream = Buffer.concat([streamOf([Buffer.from('good')]), Buffer.from('ffffffff', 'hex')]);
    expect(() => {
      for (const bytes of reader.read(stream)) found.push(String(bytes));
    }).toThrow(badLength);
    expect(found).toEqual(['good']);
    expect(() => [...reader.read(Buffer.from('more'))]).toThrow(badLength);
  });
});

describe('what the reader allocates', () => {
  it('is in proportion to the bytes received, in pieces of one byte too', () => {
    const small = allocatedFor(10_000, 1);
    const large = allocatedFor(20_000, 1);
    expect(small).toBeGreaterThanOrEqual(10_000);
    expect(large / small).toBeLessThan(3);
    // With quadratic cost this would take minutes and time out.
    expect(allocatedFor(1_000_000, 1)).toBeLessThan(4 * 1_000_000);
  });

  it('is nothing for a length without a body', () => {
    const reader = new FrameReader();
    const length = Buffer.from('000fffff', 'hex');
    const allocated = allocatedWhile(() => {
      expect([...reader.read(length)]).toEqual([]);
      expect([...reader.read(Buffer.from('a'))]).toEqual([]);
    });
    expect(allocated).toBeLessThan(100);
  });
});

function streamOf(bodies: readonly Buffer[]): Buffer {
  return Buffer.concat(
    bodies.flatMap((body) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length);
      return [length, body];
    }),
  );
}

/** Copies, as a socket gives them, in these sizes over and over; a size of 0 is an empty piece. */
function pieces(stream: Buffer, sizes: readonly number[]): Buffer[] {
  const found: Buffer[] = [];
  const isStuck = sizes.every((size) => size === 0);
  for (let at = 0, i = 0; at < stream.length; i++) {
    const size = isStuck ? 1 : sizes[i % sizes.length]!;
    found.push(Buffer.from(stream.subarray(at, at + size)));
    at += size;
  }
  return found;
}

function readAll(stream: Buffer, pieceSize: number, frames: number): void {
  const reader = new FrameReader();
  let found = 0;
  for (let at = 0; at < stream.length; at += pieceSize) {
    found += [...reader.read(stream.subarray(at, at + pieceSize))].length;
  }
  expect(found).toBe(frames);
}

/** The bytes requested from `Buffer` meanwhile, including those of `Buffer.concat`. */
function allocatedWhile(act: () => void): number {
  const allocations = vi.spyOn(Buffer, 'allocUnsafe');
  act();
  const total = allocations.mock.calls.reduce((sum, [size]) => sum + size, 0);
  allocations.mockRestore();
  return total;
}

function allocatedFor(frameBytes: number, pieceSize: number): number {
  const stream = streamOf([Buffer.alloc(frameBytes)]);
  return allocatedWhile(() => readAll(stream, pieceSize, 1));
}

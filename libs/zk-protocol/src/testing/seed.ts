/** Seed of all random values in the tests of this library: fixed, unless it is set. */
export const seed = Number(process.env.ZK_PROTOCOL_SEED ?? 20_240_229);

/** A stream of numbers from 0 (inclusive) to `below` (exclusive), always the same from one seed. */
export function randomNumbers(from: number): (below: number) => number {
  let state = from >>> 0;
  return (below) => {
    // Mulberry32.
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

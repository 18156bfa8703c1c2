import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** What lanes share out among them: the number of a freeze, and how long to wait before it, in ms. */
export type Turns = Iterable<[number: number, pauseMs: number]>;

/**
 * For each freeze how long to wait before it, up to one session timeout: at any moment of the
 * heartbeat, of the server's tick, and of what a grant or a reconnect begins.
 */
export function phases(
  { seed, sessionTimeoutMs }: { readonly seed: number; readonly sessionTimeoutMs: number },
  count: number,
): number[] {
  const generator = xoroshiro128plus(seed);
  return Array.from({ length: count }, () => uniformFloat64(generator) * sessionTimeoutMs);
}

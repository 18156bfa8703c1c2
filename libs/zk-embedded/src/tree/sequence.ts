const LAST = 2_147_483_647;

/**
 * A sequence number as ZooKeeper appends it: ten characters, including the sign of a negative one.
 */
export function formatSequence(number: number): string {
  const digits = String(Math.abs(number));
  return number < 0 ? `-${digits.padStart(9, '0')}` : digits.padStart(10, '0');
}

/** The next number. The counter stays at 2147483647, as it does since ZooKeeper 3.6. */
export function following(number: number): number {
  return Math.min(number + 1, LAST);
}

/** A sequence number as ZooKeeper appends it: ten characters, the sign of a wrapped one among them. */
export function formatSequence(number: number): string {
  const digits = String(Math.abs(number));
  return number < 0 ? `-${digits.padStart(9, '0')}` : digits.padStart(10, '0');
}

/** The number behind another: after 2147483647 comes -2147483648. */
export function following(number: number): number {
  return (number + 1) | 0;
}

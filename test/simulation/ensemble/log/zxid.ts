const COUNTERS = 2 ** 32;

/** Represents a zxid as a number: epochs stay far below 2^21 here. */
export function zxidOf(epoch: number, counter = 0): number {
  return epoch * COUNTERS + counter;
}

export function epochOf(zxid: number): number {
  return Math.floor(zxid / COUNTERS);
}

/** Whether an epoch begins with this zxid. No transaction has it. */
export function isBeginning(zxid: number): boolean {
  return zxid % COUNTERS === 0;
}

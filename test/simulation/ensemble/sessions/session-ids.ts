/** The ids that a server gives: its own number in the highest byte, then 40 bits of its clock. */
export class SessionIds {
  #next: bigint;

  constructor(serverId: number, nowMs: number) {
    this.#next = (BigInt(serverId) << 56n) | (BigInt.asUintN(40, BigInt(nowMs)) << 16n);
  }

  next(): bigint {
    return this.#next++;
  }
}

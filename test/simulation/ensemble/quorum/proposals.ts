import type { Entry } from '../log/entry.js';

export interface Proposal {
  readonly entry: Entry;
  /** The servers that have the entry on disk, as a bit mask. */
  acks: number;
  /** Calls that wait until this entry is committed. */
  readonly syncs: (() => void)[];
}

/** A leader's proposals that are not committed yet, in order. */
export class Proposals {
  #outstanding: Proposal[] = [];

  /** @param majority how many servers must have an entry on disk */
  constructor(private readonly majority: number) {}

  get last(): Proposal | undefined {
    return this.#outstanding.at(-1);
  }

  entries(): Entry[] {
    return this.#outstanding.map(({ entry }) => entry);
  }

  add(entry: Entry): void {
    this.#outstanding.push({ entry, acks: 0, syncs: [] });
  }

  acknowledge(serverId: number, zxid: number): void {
    const first = this.#outstanding[0];
    const proposal = first && this.#outstanding[zxid - first.entry.zxid];
    if (proposal) proposal.acks |= 1 << serverId;
  }

  /** Removes and returns the first proposal if a majority has it. */
  takeCommitted(): Proposal | undefined {
    const first = this.#outstanding[0];
    return first && bits(first.acks) >= this.majority ? this.#outstanding.shift() : undefined;
  }
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

import { fourLetterWord } from '../../test/support/four-letter-word.js';

/** The packets that a ZooKeeper server has received and sent since its start. */
interface Packets {
  /** Requests; a `multi` is one. */
  readonly requests: number;
  /** Messages to clients that are not answers: watch events. */
  readonly events: number;
}

/** Includes heartbeats. Asks the server directly, so that no relay slows down the measurement. */
export async function readPackets(port: number): Promise<Packets> {
  const answer = await fourLetterWord(port, 'mntr', 30_000);
  const read = (name: string): number =>
    Number(new RegExp(`^zk_${name}\\t(\\d+)`, 'm').exec(answer)?.[1]);
  const requests = read('packets_received');
  return { requests, events: read('packets_sent') - requests };
}

/** @param units the number of cycles or grants in between */
export function packetsEach(before: Packets, after: Packets, units: number): Packets {
  const each = (name: keyof Packets): number =>
    Math.max(0, after[name] - before[name]) / Math.max(1, units);
  return { requests: each('requests'), events: each('events') };
}

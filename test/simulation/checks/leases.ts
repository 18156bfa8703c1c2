import { parseId } from '../../../libs/zk-embedded/src/format-id.js';
import { leaseMsLeft } from '../../../libs/zk-locks/src/inspect/lease-ms-left.js';
import type { JournalEntry } from '../../workers/soak/protocol.js';
import type { Ensemble } from '../ensemble/ensemble.js';
import type { SimulatedReplica } from '../story/replica.js';

/** Servers' timers count whole milliseconds. */
const TOLERANCE_MS = 1;

/**
 * A lock that is held says that its session lives, and for how long at least: for the margin that its caller
 * has asked for, and for what the session says. The servers must not be able to end the session before,
 * whatever is lost from now on: neither the present leader, one timeout after it has last heard of the
 * client, nor the next one, one timeout of the session's creation after it has begun.
 */
export class Leases {
  readonly #margins = new Map<string, number>();
  /** Sessions that an operator ends, at any time. */
  readonly #ended = new Set<bigint>();

  constructor(
    private readonly servers: Pick<Ensemble, 'leader' | 'view'>,
    private readonly report: (promise: string, message: string) => void,
  ) {}

  /** An operator is about to end this session. */
  ended(sessionId: bigint): void {
    this.#ended.add(sessionId);
  }

  /** To be called in the turn of the process, in which its clock shows its time. */
  onEntry({ name, process, locks }: SimulatedReplica, entry: JournalEntry): void {
    // What was true earlier cannot be compared with the servers as they are now.
    if ((entry.type !== 'entered' && entry.type !== 'held') || entry.at !== process.world.now)
      return;
    const grant = `${name}#${entry.grant}`;
    if (entry.type === 'entered' && entry.marginMs !== undefined) {
      this.#margins.set(grant, entry.marginMs);
    }
    const { state } = locks.session.snapshot;
    if (!('sessionId' in state)) return;
    const id = parseId(state.sessionId);
    if (this.#ended.has(id)) return;
    const saidMs = Math.max(leaseMsLeft(locks), this.#margins.get(grant) ?? 0);
    const leastMs = this.#msLeft(id);
    if (leastMs >= saidMs - TOLERANCE_MS) return;
    const message = `${grant} is held, and for ${saidMs.toFixed(0)} ms at least; the servers may end its session in ${leastMs.toFixed(0)} ms`;
    this.report('lease', message);
  }

  /** How long a session certainly lives. */
  #msLeft(id: bigint): number {
    const { leader, view } = this.servers;
    const created = view.database.sessions.find(id);
    if (!created) return 0;
    const { createdTimeoutMs } = created;
    const byLeader = leader?.peer.leader?.tracker.msLeft(id) ?? Infinity;
    return Math.min(byLeader, createdTimeoutMs);
  }
}
